// Message passing: relaxed is a race, release and acquire are none. The reader looks once: before or after the store.
//@ revisions: relaxed acquire fence
//@[relaxed] expect: bug
//@[relaxed] kind: data-race
//@[acquire] expect: verified
//@[acquire] executions: 2
//@[acquire] cflags: -DSTORE=memory_order_release -DLOAD=memory_order_acquire
//@[fence] expect: verified
//@[fence] executions: 2
//@[fence] cflags: -DFENCE
//@ opt: O0 O2
#include <pthread.h>
#include <stdatomic.h>
#ifndef STORE
#define STORE memory_order_relaxed
#define LOAD memory_order_relaxed
#endif
static int data;
static atomic_int flag;
static void *write(void *unused) {
    data = 1; //~[relaxed] race
#ifdef FENCE
    atomic_thread_fence(memory_order_release);
#endif
    atomic_store_explicit(&flag, 1, STORE);
    return unused;
}
int main(void) {
    pthread_t writer;
    pthread_create(&writer, 0, write, 0);
    int seen = 0;
    if (atomic_load_explicit(&flag, LOAD)) {
#ifdef FENCE
        atomic_thread_fence(memory_order_acquire);
#endif
        seen = data; //~[relaxed] race
    }
    pthread_join(writer, 0);
    return seen != data && seen != 0;
}
