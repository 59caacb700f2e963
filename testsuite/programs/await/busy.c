// As backs_off.c, with work in vain on a volatile variable of the thread's own instead of a pause.
//@ expect: verified
//@ revisions: written rotated
//@[written] executions: 1
//@[written] blocked: 1
//@[written] opt: O0
//@[rotated] executions: 2
//@[rotated] blocked: 1
//@[rotated] opt: O1 O2
//@ args: --reductions=none
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

atomic_int flag;
int data;

static inline void work(int turns) {
    for (volatile int i = 0; i < turns; i++) {
    }
}

static void *writer(void *unused) {
    data = 1;
    atomic_store(&flag, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    int delay = 1;
    while (!atomic_load(&flag)) {
        work(delay);
        delay *= 2;
    }
    int seen = data;
    pthread_join(thread, NULL);
    return seen != 1;
}
