// Thread 0 keeps its FS base, and with it the thread-local storage that it had before the root, in
// every execution and after other threads ran. Another thread has one of its own.
//@ expect: verified
//@ executions: 2
//@ cflags: -mfsgsbase
#include <dpor.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdatomic.h>

static unsigned long before;
static _Thread_local int local = 1;
static int *local_of_main;
atomic_int cell;

static __attribute__((constructor)) void set(void) {
    before = _readfsbase_u64();
    local = 5;
    local_of_main = &local;
}

static void *work(void *unused) {
    dpor_assert(_readfsbase_u64() != before && local == 1 && &local != local_of_main);
    atomic_store(&cell, ++local);
    dpor_assert(local == 2);
    return unused;
}

int main(void) {
    pthread_t thread;
    dpor_assert(_readfsbase_u64() == before && local == 5 && &local == local_of_main);
    pthread_create(&thread, 0, work, 0);
    dpor_assert(_readfsbase_u64() == before && local == 5 && &local == local_of_main);
    local = 6 + atomic_load(&cell);
    dpor_assert(_readfsbase_u64() == before);
    pthread_join(thread, 0);
    dpor_assert(_readfsbase_u64() == before && local >= 6 && &local == local_of_main);
    return 0;
}
