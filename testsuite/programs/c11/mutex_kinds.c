// Codes of C11's mutexes. The recursive one is taken twice by its owner; trylock of a mutex that
// another thread has says thrd_busy. Main holds both from before the thread's first event until after
// its last (the join), so there is 1 execution.
//@ expect: verified
//@ executions: 1
#include <dpor.h>
#include <threads.h>

static mtx_t plain, recursive;

static int try_both(void *unused) {
    (void)unused;
    dpor_assert(mtx_trylock(&plain) == thrd_busy);
    dpor_assert(mtx_trylock(&recursive) == thrd_busy);
    return 0;
}

int main(void) {
    thrd_t thread;
    dpor_assert(mtx_init(&plain, 64) == thrd_error);
    dpor_assert(mtx_init(&plain, mtx_plain) == thrd_success);
    dpor_assert(mtx_init(&recursive, mtx_plain | mtx_recursive) == thrd_success);
    dpor_assert(mtx_lock(&plain) == thrd_success);
    dpor_assert(mtx_lock(&recursive) == thrd_success);
    dpor_assert(mtx_trylock(&recursive) == thrd_success);
    thrd_create(&thread, try_both, 0);
    thrd_join(thread, 0);
    dpor_assert(mtx_unlock(&recursive) == thrd_success);
    dpor_assert(mtx_unlock(&recursive) == thrd_success);
    dpor_assert(mtx_unlock(&plain) == thrd_success);
    mtx_destroy(&plain);
    mtx_destroy(&recursive);
    return 0;
}
