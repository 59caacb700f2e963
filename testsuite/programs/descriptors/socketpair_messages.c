// Messages keep their bounds: two sent, two received, whatever is read in one go. Sends S1, S2, and
// receives R1, R2, in order on both sides, R1 after S1: S1 S2 R1 R2, S1 R1 S2 R2. 2 executions.
//@ expect: verified
//@ executions: 2
//@ revisions: datagram packet
//@[datagram] cflags: -DTYPE=SOCK_DGRAM
//@[packet] cflags: -DTYPE=SOCK_SEQPACKET
#include <dpor.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void *sender(void *unused) {
    dpor_assert(send(ends[1], "abc", 3, 0) == 3);
    dpor_assert(send(ends[1], "defgh", 5, 0) == 5);
    return unused;
}

int main(void) {
    pthread_t thread;
    char text[8] = "";
    dpor_assert(socketpair(AF_UNIX, TYPE, 0, ends) == 0);
    pthread_create(&thread, 0, sender, 0);
    dpor_assert(recv(ends[0], text, sizeof text, 0) == 3);
    dpor_assert(recv(ends[0], text, 2, 0) == 2);
    dpor_assert(text[0] == 'd' && text[1] == 'e');
    pthread_join(thread, 0);
    dpor_assert(recv(ends[0], text, sizeof text, MSG_DONTWAIT) == -1);
    return 0;
}
