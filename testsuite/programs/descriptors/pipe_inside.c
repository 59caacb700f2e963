// Pipes made, duplicated and closed while there are threads. The copy keeps the end open, so the
// reader sees no end of the data until the copy is closed, too.
// Events: main closes the original (K1 on the pipe, then T1 on the table of descriptors), writes
// through the copy (W), closes it (K2, T2). The child, which has not seen the descriptor before, looks
// it up (L, reads the table), then reads the byte (R1 after W) and the end (R2 after K2).
// L before T1, or between T1 and T2: then R1 before or after K2, 2 each. L after T2: R1 after K2.
// 5 executions.
//@ expect: verified
//@ executions: 5
#include <dpor.h>
#include <pthread.h>
#include <unistd.h>

static void *idle(void *unused) { return unused; }

static void *reader(void *end) {
    int fd = *(int *)end;
    char byte = 0;
    dpor_assert(read(fd, &byte, 1) == 1 && byte == 'y');
    dpor_assert(read(fd, &byte, 1) == 0);
    return 0;
}

int main(void) {
    pthread_t thread;
    int ends[2];
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);
    dpor_assert(pipe(ends) == 0);
    int copy = dup(ends[1]);
    dpor_assert(copy >= 0);
    pthread_create(&thread, 0, reader, &ends[0]);
    close(ends[1]);
    dpor_assert(write(copy, "y", 1) == 1);
    close(copy);
    pthread_join(thread, 0);
    return 0;
}
