// What `read` stores comes when the data come. after: the other thread writes the buffer, and then to the
// pipe: the read that waits for it is ordered after both: clean. before: it writes to the pipe first. The
// read waits until then, so there is one trace in each.
// fgets: a line of a file, into a buffer that the other thread reads meanwhile.
// clock: the time, likewise.
//@ revisions: after before fgets clock
//@[after] cflags: -DPIPE -DAFTER
//@[after] expect: verified
//@[before] cflags: -DPIPE -DBEFORE
//@[before] expect: bug
//@[before] kind: data-race
//@[fgets] cflags: -DFGETS
//@[fgets] expect: bug
//@[fgets] kind: data-race
//@[clock] cflags: -DCLOCK
//@[clock] expect: bug
//@[clock] kind: data-race
//@ executions: 1
//@ stdin: line\n
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int ends[2];
char buffer[16];
struct timespec now;
long sink;

static void *other(void *unused) {
#ifdef PIPE
#ifdef BEFORE
    write(ends[1], "x", 1);
#endif
    buffer[0] = 'y'; //~[before] race
#ifdef AFTER
    write(ends[1], "x", 1);
#endif
#elif defined FGETS
    sink = buffer[5]; //~[fgets] race
#else
    sink = now.tv_nsec; //~[clock] race
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pipe(ends);
    pthread_create(&thread, 0, other, 0);
#ifdef PIPE
    read(ends[0], buffer, sizeof buffer); //~[before] race
#elif defined FGETS
    fgets(buffer, sizeof buffer, stdin); //~[fgets] race
#else
    clock_gettime(CLOCK_MONOTONIC, &now); //~[clock] race
#endif
    pthread_join(thread, 0);
    return 0;
}
