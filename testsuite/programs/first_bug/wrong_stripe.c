// A hash map with a lock for every other bucket: `put` takes the lock of the key's bucket, `take` that of the key.
// For keys beyond the number of buckets these are two.
//@ expect: bug
//@ kind: data-race
#include <assert.h>
#include <pthread.h>

enum { BUCKETS = 6, LOCKS = 4 };

static pthread_mutex_t locks[LOCKS];
static int buckets[BUCKETS];

static void put(int key, int value) {
    int bucket = key % BUCKETS;
    pthread_mutex_lock(&locks[bucket % LOCKS]);
    buckets[bucket] = value;
    pthread_mutex_unlock(&locks[bucket % LOCKS]);
}

static int take(int key) {
    int bucket = key % BUCKETS;
    pthread_mutex_lock(&locks[key % LOCKS]);
    int value = buckets[bucket];
    buckets[bucket] = 0;
    pthread_mutex_unlock(&locks[key % LOCKS]);
    return value;
}

static void *fill(void *unused) {
    put(2, 20);
    put(9, 90);
    return unused;
}

static void *drain(void *unused) {
    int two = take(2), nine = take(9);
    assert(two % 20 == 0 && nine % 90 == 0);
    return unused;
}

int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < LOCKS; i++) pthread_mutex_init(&locks[i], 0);
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, i % 2 ? drain : fill, 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    for (int i = 0; i < LOCKS; i++) pthread_mutex_destroy(&locks[i]);
    return 0;
}
