// Two threads compute on an array of 300 kB, each behind so much work of its own that pages of shadow memory are judged as
// one, and meet in it in one way or another. What they do there is reported as if each byte had been judged by itself.
//
// The lock orders nothing of it: its two orders are the executions.
//@ revisions: halves raced handed used shrunk locked cleared reads late
//@ opt: O0 O2
//@[halves] cflags: -DHALVES
//@[halves] expect: verified
//@[halves] executions: 2
//@[raced] cflags: -DRACED
//@[raced] expect: bug
//@[raced] kind: data-race
//@[handed] cflags: -DHANDED
//@[handed] expect: verified
//@[handed] executions: 2
//@[used] cflags: -DUSED
//@[used] expect: bug
//@[used] kind: data-race
//@[shrunk] cflags: -DSHRUNK
//@[shrunk] expect: verified
//@[shrunk] executions: 2
//@[locked] cflags: -DLOCKED
//@[locked] expect: verified
//@[locked] executions: 2
//@[cleared] cflags: -DCLEARED
//@[cleared] expect: bug
//@[cleared] kind: data-race
//@[late] cflags: -DLATE
//@[late] expect: verified
//@[late] executions: 2
//@[reads] cflags: -DREADS
//@[reads] expect: verified
//@[reads] executions: 2
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 300000, MIDDLE = BYTES / 2 + 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char *array;
static unsigned sum;
static int done;
static _Atomic int is_filled;
static pthread_cond_t is_done = PTHREAD_COND_INITIALIZER;

// Each byte depends on the one before it, so that no compiler makes fewer accesses of it.
__attribute__((noinline)) static void fill(unsigned char *from, unsigned char *end) {
    for (from[0] += 1; ++from < end;)
        *from = (unsigned char)(from[-1] * 5 + 1);
}

__attribute__((noinline)) static unsigned add(const unsigned char *from, const unsigned char *end) {
    unsigned all = 0;
    for (; from < end; from++)
        all = all * 3 + *from;
    return all;
}

static void work(void) {
    unsigned char *own = calloc(BYTES, 1);
    fill(own, own + BYTES);
    free(own);
}

static unsigned meet(unsigned by) {
    pthread_mutex_lock(&lock);
    unsigned now = sum += by;
    pthread_mutex_unlock(&lock);
    return now;
}

// Orders nothing.
static void wait_relaxed(void) {
    while (!atomic_load_explicit(&is_filled, memory_order_relaxed))
        ;
}

static void *compute(void *unused) {
    work();
#if HALVES || LOCKED || CLEARED
    fill(array, array + MIDDLE);
#elif READS
    meet(add(array, array + BYTES));
    return unused;
#elif LATE
    // Where main was first, the two halves meet in a page.
    unsigned end = meet(1) == 1 ? MIDDLE - 1000 : MIDDLE;
    fill(array, array + end);
    return unused;
#else
    fill(array, array + BYTES);
#endif
#if USED || RACED || CLEARED
    atomic_store_explicit(&is_filled, 1, memory_order_relaxed);
#endif
#if HANDED || SHRUNK
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_cond_signal(&is_done);
    pthread_mutex_unlock(&lock);
    return unused;
#endif
    meet(1);
    return unused;
}

int main(void) {
    pthread_t thread;
    array = calloc(BYTES, 1);
    fill(array, array + BYTES);
    pthread_create(&thread, 0, compute, 0);
    work();
#if LATE
    meet(1);
    fill(array + MIDDLE, array + BYTES);
#elif HALVES || CLEARED
    fill(array + MIDDLE, array + BYTES);
    meet(1);
#elif RACED
    wait_relaxed();
    array[BYTES / 3] = 1;
    meet(1);
#elif HANDED || SHRUNK
    pthread_mutex_lock(&lock);
    while (!done)
        pthread_cond_wait(&is_done, &lock);
    pthread_mutex_unlock(&lock);
    fill(array, array + BYTES);
#elif USED
    wait_relaxed();
    free(array);
    meet(1);
#elif LOCKED
    // A mutex in the array: whoever locks it uses its memory.
    pthread_mutex_t *in_it = (pthread_mutex_t *)(array + BYTES - 1000);
    fill(array + MIDDLE, array + BYTES - 1000);
    pthread_mutex_init(in_it, 0);
    pthread_mutex_lock(in_it);
    meet(1);
    pthread_mutex_unlock(in_it);
    pthread_mutex_destroy(in_it);
#elif READS
    meet(add(array, array + BYTES));
#endif
#if CLEARED
    wait_relaxed();
    memset(array + MIDDLE - 1, 0, 3);
#endif
    pthread_join(thread, 0);
#if SHRUNK
    // In place or not, what is left of it is accessed again.
    array = realloc(array, 1000);
    fill(array, array + 1000);
    free(array);
#elif !USED
    free(array);
#endif
    return 0;
}
