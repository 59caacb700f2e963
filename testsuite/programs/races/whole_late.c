// A thread and main lock a mutex three times each behind so much work that pages of shadow memory are judged as one, which
// makes 6 over 3 = 20 executions. In one of their orders main begins to write in the page to whose half the thread writes:
// right behind it, or one byte before. So the search begins anew late, having learnt that pages say too little.
//@ revisions: clean raced
//@ opt: O1
//@[clean] cflags: -DBEFORE=0
//@[clean] expect: verified
//@[clean] executions: 20
//@[raced] cflags: -DBEFORE=1
//@[raced] expect: bug
//@[raced] kind: data-race
#include <pthread.h>
#include <stdlib.h>

enum { BYTES = 300000, MIDDLE = BYTES / 2 + 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char *array;
static unsigned order;

// Each byte depends on the one before it, so that no compiler makes fewer accesses of it.
__attribute__((noinline)) static void fill(unsigned char *from, unsigned char *end) {
    for (from[0] += 1; ++from < end;)
        *from = (unsigned char)(from[-1] * 5 + 1);
}

static void work(void) {
    unsigned char *own = calloc(BYTES, 1);
    fill(own, own + BYTES);
    free(own);
}

// The order of the sections up to now: a digit for each.
static unsigned meet(unsigned digit) {
    pthread_mutex_lock(&lock);
    unsigned now = order = order * 2 + digit;
    pthread_mutex_unlock(&lock);
    return now;
}

static void *compute(void *unused) {
    work();
    for (int i = 0; i < 3; i++)
        meet(1);
    fill(array, array + MIDDLE);
    return unused;
}

int main(void) {
    pthread_t thread;
    unsigned now = 0;
    array = calloc(BYTES, 1);
    fill(array, array + BYTES);
    pthread_create(&thread, 0, compute, 0);
    work();
    for (int i = 0; i < 3; i++)
        now = meet(0);
    // 0, 1, 0, 1, 0: the last section is the thread's.
    fill(array + (now == 10 ? MIDDLE - BEFORE : MIDDLE + 1000), array + BYTES);
    pthread_join(thread, 0);
    return 0;
}
