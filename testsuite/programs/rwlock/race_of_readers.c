// A write under a read lock: readers do not exclude each other, and only in one order of the two would
// an edge from the first reader's unlock to the second's lock hide the race.
//@ expect: bug
//@ kind: data-race
//@ args: -k --reductions=commute,observers
//@ executions: 1
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *change(void *unused) {
    pthread_rwlock_rdlock(&lock);
    value++; //~ race
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, change, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
