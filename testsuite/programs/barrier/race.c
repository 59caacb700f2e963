// One thread writes after the first meeting what the other reads before the second: a race although a
// barrier follows it and another comes before.
//@ expect: bug
//@ kind: data-race
//@ args: -k --reductions=commute,observers
//@ executions: 1
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t barrier;
int value, seen;

static void *look(void *unused) {
    pthread_barrier_wait(&barrier);
    seen = value; //~ race
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, look, NULL);
    value = 1;
    pthread_barrier_wait(&barrier);
    value = 2; //~ race
    pthread_barrier_wait(&barrier);
    value = 3;
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}
