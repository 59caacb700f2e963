// Three readers and a writer. Readers commute, so that a trace is, for each reader, whether it comes
// before or after the writer: 2^3 = 8. No race: the writer is alone.
//@ expect: verified
//@ executions: 8
//@ args: --reductions=commute,observers
//@ opt: O0 O2
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value, seen[3];

static void *read_it(void *place) {
    pthread_rwlock_rdlock(&lock);
    *(int *)place = value;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

static void *write_it(void *unused) {
    pthread_rwlock_wrlock(&lock);
    value = 1;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, read_it, &seen[i]);
    pthread_create(&threads[3], NULL, write_it, NULL);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    dpor_observe("seen", seen[0] + seen[1] + seen[2]);
    return 0;
}
