// A hash map with a lock for every other bucket. Each of T threads puts one value into each of the S stripes, in the same
// order: under keys of its own, or (-DSHARED) all under the same keys.
// The sections of a stripe come in any of T! orders, whatever the other stripe's order is: T!^S, whether or not they share
// data. T = 3, S = 2: 36; T = 4: 576.
//@ expect: verified
//@ revisions: disjoint shared four
//@[disjoint] executions: 36
//@[shared] cflags: -DSHARED
//@[shared] executions: 36
//@[four] cflags: -DT=4
//@[four] executions: 576
#include <assert.h>
#include <pthread.h>

#ifndef T
#define T 3
#endif
#define S 2
#define BUCKETS (S * T)

static pthread_mutex_t locks[S];
static int buckets[BUCKETS];

static void put(int key, int value) {
    int bucket = key % BUCKETS;
    pthread_mutex_lock(&locks[bucket % S]);
    buckets[bucket] = value;
    pthread_mutex_unlock(&locks[bucket % S]);
}

static void *fill(void *arg) {
#ifdef SHARED
    int first = 0;
#else
    int first = S * *(int *)arg;
#endif
    for (int stripe = 0; stripe < S; stripe++) put(first + stripe, 1 + stripe);
    return 0;
}

int main(void) {
    pthread_t threads[T];
    int numbers[T];
    for (int i = 0; i < S; i++) pthread_mutex_init(&locks[i], 0);
    for (int i = 0; i < T; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], 0, fill, &numbers[i]);
    }
    for (int i = 0; i < T; i++) pthread_join(threads[i], 0);
    for (int i = 0; i < S; i++) assert(buckets[i] == 1 + i);
    for (int i = 0; i < S; i++) pthread_mutex_destroy(&locks[i]);
    return 0;
}
