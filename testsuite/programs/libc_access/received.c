// What `read` stores comes when the data come. after: the other thread writes the buffer, and then to the
// pipe: the read that waits for it is ordered after both: clean. before: it writes to the pipe first. The
// read waits until then, so there is one trace in each.
// readv and recvmsg do the same with a vector; recvmsg writes the flags of its message besides.
// fgets: a line of a file, into a buffer that the other thread reads meanwhile.
// clock: the time, likewise.
//@ revisions: after before fgets clock readv-after readv-before recvmsg-after recvmsg-before recvmsg-flags
//@[after] cflags: -DPIPE -DAFTER
//@[after] expect: verified
//@[before] cflags: -DPIPE -DBEFORE
//@[before] expect: bug
//@[before] kind: data-race
//@[readv-after] cflags: -DPIPE -DAFTER -DRECEIVE=readv(ends[0],&part,1)
//@[readv-after] expect: verified
//@[readv-before] cflags: -DPIPE -DBEFORE -DRECEIVE=readv(ends[0],&part,1)
//@[readv-before] expect: bug
//@[readv-before] kind: data-race
//@[recvmsg-after] cflags: -DPIPE -DSOCKETS -DAFTER -DRECEIVE=recvmsg(ends[0],&message,0)
//@[recvmsg-after] expect: verified
//@[recvmsg-before] cflags: -DPIPE -DSOCKETS -DBEFORE -DRECEIVE=recvmsg(ends[0],&message,0)
//@[recvmsg-before] expect: bug
//@[recvmsg-before] kind: data-race
//@[recvmsg-flags] cflags: -DPIPE -DSOCKETS -DBEFORE -DTOUCH=sink=message.msg_flags -DRECEIVE=recvmsg(ends[0],&message,0)
//@[recvmsg-flags] expect: bug
//@[recvmsg-flags] kind: data-race
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
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static int ends[2];
char buffer[16];
struct timespec now;
long sink;
struct iovec part = {buffer, sizeof buffer};
struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

#ifndef TOUCH
#define TOUCH buffer[0] = 'y'
#endif
#ifndef RECEIVE
#define RECEIVE read(ends[0], buffer, sizeof buffer)
#endif

static void *other(void *unused) {
#ifdef PIPE
#ifdef BEFORE
    write(ends[1], "x", 1);
#endif
    TOUCH; //~[before] race
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
#ifdef SOCKETS
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
#else
    pipe(ends);
#endif
    pthread_create(&thread, 0, other, 0);
#ifdef PIPE
    RECEIVE; //~[before] race
#elif defined FGETS
    fgets(buffer, sizeof buffer, stdin); //~[fgets] race
#else
    clock_gettime(CLOCK_MONOTONIC, &now); //~[clock] race
#endif
    pthread_join(thread, 0);
    return 0;
}
