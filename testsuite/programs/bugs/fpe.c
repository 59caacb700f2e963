// The load sees the store in one of two traces; then the program divides by zero.
//@ revisions: first all
//@ expect: bug
//@ kind: crash
//@[all] args: -k
//@[all] executions: 1
//@[all] failed: 1
#include <pthread.h>
#include <stdatomic.h>

static atomic_int armed;
int zero;
int seen;

static void *arm(void *unused) {
    atomic_store(&armed, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, arm, 0);
    int is_armed = atomic_load(&armed);
    // Joined first: what follows is ordered with everything, so there are two traces.
    pthread_join(thread, 0);
    if (is_armed) {
        seen = 100 / *(volatile int *)&zero; //~ crash
    }
    return 0;
}
