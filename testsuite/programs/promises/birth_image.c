// A thread that gets the stack and storage of one that ended finds them as if nobody had been there:
// thread_locals initialized, no value under any key, errno 0, the usual rounding, cancellation
// enabled, the same stack. Seventy threads one after the other, more than there are fibers.
//@ expect: verified
//@ executions: 1
#include <dpor.h>
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <string.h>
#include <xmmintrin.h>

static _Thread_local int initialized = 7;
static _Thread_local char zero[5000];
static pthread_key_t key;

static void *work(void *unused) {
    int state;
    dpor_assert(initialized == 7 && zero[0] == 0 && zero[4999] == 0);
    dpor_assert(pthread_getspecific(key) == 0);
    dpor_assert(errno == 0);
    dpor_assert(_MM_GET_ROUNDING_MODE() == _MM_ROUND_NEAREST);
    dpor_assert(uselocale((locale_t)0) == LC_GLOBAL_LOCALE);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    dpor_assert(state == PTHREAD_CANCEL_ENABLE);
    initialized = 8;
    memset(zero, 1, sizeof zero);
    pthread_setspecific(key, &initialized);
    errno = ENOENT;
    _MM_SET_ROUNDING_MODE(_MM_ROUND_UP);
    uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
    return unused;
}

int main(void) {
    pthread_key_create(&key, 0);
    for (int i = 0; i < 70; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, work, 0);
        pthread_join(thread, 0);
    }
    return 0;
}
