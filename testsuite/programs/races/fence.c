// Fences make relaxed accesses synchronize: release before the store, acquire after the load
// (C11 7.17.4). Without either of them there is a race. A fence is no event: two traces always.
//@ revisions: both no_release no_acquire signal_only
//@[both] expect: verified
//@[both] executions: 2
//@[both] cflags: -DRELEASE=atomic_thread_fence -DACQUIRE=atomic_thread_fence
//@[no_release] expect: bug
//@[no_release] kind: data-race
//@[no_release] cflags: -DRELEASE=(void) -DACQUIRE=atomic_thread_fence
//@[no_acquire] expect: bug
//@[no_acquire] kind: data-race
//@[no_acquire] cflags: -DRELEASE=atomic_thread_fence -DACQUIRE=(void)
//@[signal_only] expect: bug
//@[signal_only] kind: data-race
//@[signal_only] cflags: -DRELEASE=atomic_signal_fence -DACQUIRE=atomic_signal_fence // orders only within a thread
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
int data, seen;

static void *writer(void *unused) {
    data = 1;
    RELEASE(memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

static void *reader(void *unused) {
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        ACQUIRE(memory_order_acquire);
        seen = data;
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
