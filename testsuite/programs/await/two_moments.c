// A turn of a loop that finds two values in one place is no livelock: the thread leaves the loop in the next one. By hand:
// the store comes before both looks, and the thread ends (1); or it comes between the looks, or behind both, and the turn
// is in vain: its thread, which used a mutex in it, goes no further (2 blocked). It goes on in the first.
//@ expect: verified
//@ args: --reductions=none
//@ opt: O0 O2
//@ executions: 1
//@ blocked: 2
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x;

static void *set(void *unused) {
    atomic_store(&x, 1);
    return unused;
}

static void *poll(void *unused) {
    for (;;) {
        int first = atomic_load(&x);
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
        int second = atomic_load(&x);
        if (first == 1 && second == 1) break;
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, set, NULL);
    pthread_create(&b, NULL, poll, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
