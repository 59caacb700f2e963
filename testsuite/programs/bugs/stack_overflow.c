// The load sees the store in one of two traces; then the program recurses without end.
//@ revisions: first all
//@ expect: bug
//@ kind: crash
//@[all] args: -k
//@[all] executions: 1
//@[all] failed: 1
//@ parts: no
#include <pthread.h>
#include <stdatomic.h>

static atomic_int armed;
int seen;

static __attribute__((noinline)) int descend(int depth) {
    volatile char room[4096];
    room[depth % 4096] = (char)depth;
    return descend(depth + 1) + room[depth % 4096];
}

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
        seen = descend(1);
    }
    return 0;
}
