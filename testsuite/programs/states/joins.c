// Two threads are created and joined, for ever: numbers of threads come back.
//@ args: --states
//@ opt: O0 O2
//@ expect: verified
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;

static void *toggle(void *unused) {
    atomic_fetch_xor(&sum, 1);
    return unused;
}

int main(void) {
    for (;;) {
        pthread_t one, two;
        pthread_create(&one, 0, toggle, 0);
        pthread_create(&two, 0, toggle, 0);
        pthread_join(one, 0);
        pthread_join(two, 0);
    }
}
