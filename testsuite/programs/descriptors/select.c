// A thread relays what comes from either of two pipes until both end. Whatever the order, it is told
// of every byte.
//@ expect: verified
//@ outcomes: total=3
#include <dpor.h>
#include <pthread.h>
#include <sys/select.h>
#include <unistd.h>

static int a[2], b[2];

static void *writer(void *unused) {
    dpor_assert(write(a[1], "\1", 1) == 1);
    close(a[1]);
    dpor_assert(write(b[1], "\2", 1) == 1);
    close(b[1]);
    return unused;
}

int main(void) {
    pthread_t thread;
    int total = 0, open_a = 1, open_b = 1;
    pipe(a);
    pipe(b);
    pthread_create(&thread, 0, writer, 0);
    while (open_a || open_b) {
        fd_set set;
        FD_ZERO(&set);
        if (open_a) FD_SET(a[0], &set);
        if (open_b) FD_SET(b[0], &set);
        dpor_assert(select(b[0] + 1, &set, 0, 0, 0) > 0);
        char byte = 0;
        if (open_a && FD_ISSET(a[0], &set)) {
            open_a = read(a[0], &byte, 1) == 1;
            total += open_a ? byte : 0;
        }
        if (open_b && FD_ISSET(b[0], &set)) {
            open_b = read(b[0], &byte, 1) == 1;
            total += open_b ? byte : 0;
        }
    }
    pthread_join(thread, 0);
    dpor_observe("total", total);
    return 0;
}
