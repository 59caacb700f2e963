// Two messages and their echo through a socket pair, for ever.
// *wrong*: the echo of the second may come first if two threads echo.
//@ revisions: right wrong
//@ args: --states --max-states 100000
//@ checkpoint: snapshot
//@ parts: no
//@ opt: O0 O2
//@[right] expect: verified
//@[wrong] expect: bug
//@[wrong] kind: assertion
//@[wrong] cflags: -DWRONG
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void *echo(void *unused) {
    for (;;) {
        char message[8];
        ssize_t bytes = read(ends[1], message, sizeof message);
        write(ends[1], message, bytes);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends);
    pthread_create(&thread, 0, echo, 0);
#ifdef WRONG
    pthread_create(&thread, 0, echo, 0);
#endif
    for (;;) {
        char message[8];
        write(ends[0], "abc", 3);
        write(ends[0], "de", 2);
        assert(read(ends[0], message, sizeof message) == 3);
        assert(read(ends[0], message, sizeof message) == 2 && message[0] == 'd');
    }
}
