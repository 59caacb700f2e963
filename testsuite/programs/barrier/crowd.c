// Three threads at a barrier for two: the first two pass, the third stays. Arrivals conflict, because
// their order decides who stays: 3! orders of arrivals, all deadlocked. The search first takes arrivals
// to commute, and begins anew when the third arrives.
//@ expect: bug
//@ kind: deadlock
//@ args: -k
//@ executions: 0
//@ deadlocked: 6
//@ message: waits at a barrier at which 1 of 2 threads have arrived
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t barrier;

static void *meet(void *unused) {
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, meet, NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL); // Waits for ever.
    return 0;
}
