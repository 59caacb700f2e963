// A lock of the program's own, told by ThreadSanitizer's annotations: to the search it is a mutex.
//
// The word of the lock is the program's to keep, and plain here: who has the announced mutex has it alone, and
// between the annotations it is not judged.
// counts: two critical sections in either order, two executions. deadlock: `first, second` against `second, first`;
// each thread takes its first one and waits for ever for the other's. tries: the attempt finds the lock free or
// taken; of the traces in which it comes before the lock, between lock and unlock, and after it, three.
//@ revisions: counts deadlock tries
//@ opt: O0 O2
//@[counts] expect: verified
//@[counts] executions: 2
//@[deadlock] expect: bug
//@[deadlock] kind: deadlock
//@[deadlock] cflags: -DDEADLOCK
//@[tries] expect: verified
//@[tries] executions: 3
//@[tries] cflags: -DTRIES
//@[tries] outcomes: sum=1 | sum=2 *2
#include <assert.h>
#include <dpor.h>
#include <pthread.h>

void __tsan_mutex_pre_lock(void *, unsigned);
void __tsan_mutex_post_lock(void *, unsigned, int);
int __tsan_mutex_pre_unlock(void *, unsigned);
void __tsan_mutex_post_unlock(void *, unsigned);
enum { TRY = 1 << 4, FAILED = 1 << 5 };

static int first, second, sum;

static void lock(int *word) {
    __tsan_mutex_pre_lock(word, 0);
    assert(!*word);
    *word = 1;
    __tsan_mutex_post_lock(word, 0, 0);
}

static void unlock(int *word) {
    __tsan_mutex_pre_unlock(word, 0);
    *word = 0;
    __tsan_mutex_post_unlock(word, 0);
}

#ifdef TRIES
static int try(int *word) {
    __tsan_mutex_pre_lock(word, TRY);
    int taken = *word;
    if (!taken) *word = 1;
    __tsan_mutex_post_lock(word, taken ? TRY | FAILED : TRY, 0);
    return !taken;
}
#endif

static void *run(void *unused) {
#ifdef DEADLOCK
    lock(&second);
#endif
    lock(&first);
    sum++;
    unlock(&first);
#ifdef DEADLOCK
    unlock(&second);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
#ifdef TRIES
    if (try(&first)) {
        sum++;
        unlock(&first);
    }
#else
    lock(&first);
#ifdef DEADLOCK
    lock(&second);
#endif
    sum++;
#ifdef DEADLOCK
    unlock(&second);
#endif
    unlock(&first);
#endif
    pthread_join(thread, 0);
    dpor_observe("sum", sum);
    return 0;
}
