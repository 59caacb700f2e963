// More than PIPE_BUF is written in parts, as room comes: 100,000 bytes through a pipe of 65,536,
// while the reader takes up to 50,000 at a time. Every byte arrives, in order.
//@ expect: verified
#include <dpor.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static unsigned char from[100000], to[100000];

static void *writer(void *unused) {
    dpor_assert(write(ends[1], from, sizeof from) == sizeof from);
    close(ends[1]);
    return unused;
}

int main(void) {
    pthread_t thread;
    for (unsigned k = 0; k < sizeof from; k++) from[k] = k * 7 + k / 256;
    dpor_assert(pipe(ends) == 0);
    pthread_create(&thread, 0, writer, 0);
    unsigned got = 0;
    for (;;) {
        unsigned left = sizeof to - got;
        long n = read(ends[0], to + got, left < 50000 ? left + 1 : 50000);
        dpor_assert(n >= 0);
        if (n == 0) break;
        got += n;
    }
    pthread_join(thread, 0);
    dpor_assert(got == sizeof to);
    for (unsigned k = 0; k < sizeof from; k++) dpor_assert(from[k] == to[k]);
    return 0;
}
