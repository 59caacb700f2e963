// Three philosophers with mutexes, for ever: a deadlock. [ordered] All take the lower fork first: none.
//@ revisions: round ordered
//@ args: --states
//@ opt: O0 O2
//@[round] expect: bug
//@[round] kind: deadlock
//@[ordered] cflags: -DORDERED
//@[ordered] expect: verified
#include <pthread.h>

#define SEATS 3

static pthread_mutex_t forks[SEATS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                       PTHREAD_MUTEX_INITIALIZER};

static void *dine(void *number) {
    int seat = (int)(long)number;
    pthread_mutex_t *first = &forks[seat], *second = &forks[(seat + 1) % SEATS];
#ifdef ORDERED
    if (first > second) {
        pthread_mutex_t *other = first;
        first = second;
        second = other;
    }
#endif
    for (;;) {
        pthread_mutex_lock(first);
        pthread_mutex_lock(second);
        pthread_mutex_unlock(second);
        pthread_mutex_unlock(first);
    }
    return 0;
}

int main(void) {
    pthread_t threads[SEATS];
    for (long n = 1; n < SEATS; n++) pthread_create(&threads[n], 0, dine, (void *)n);
    dine(0);
    return 0;
}
