// What the C library and the machine keep per thread stays with it over every switch: errno and the
// rounding mode (bits 13 and 14 of the SSE control word). Each thread sets both, meets the other at
// one cell, and looks again. A new thread begins with its creator's mode. Two stores to one cell by
// the threads, in both orders: 2.
//@ expect: verified
//@ executions: 2
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <xmmintrin.h>

atomic_int cell;

static void keep(int number, unsigned rounding) {
    errno = number;
    _MM_SET_ROUNDING_MODE(rounding);
    atomic_store(&cell, number);
    dpor_assert(errno == number);
    dpor_assert(_MM_GET_ROUNDING_MODE() == rounding);
}

static void *work(void *unused) {
    dpor_assert(_MM_GET_ROUNDING_MODE() == _MM_ROUND_TOWARD_ZERO);
    keep(7, _MM_ROUND_UP);
    return unused;
}

int main(void) {
    pthread_t thread;
    _MM_SET_ROUNDING_MODE(_MM_ROUND_TOWARD_ZERO);
    pthread_create(&thread, 0, work, 0);
    keep(9, _MM_ROUND_DOWN);
    pthread_join(thread, 0);
    dpor_assert(_MM_GET_ROUNDING_MODE() == _MM_ROUND_DOWN);
    return 0;
}
