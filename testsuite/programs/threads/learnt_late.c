// Three threads store their numbers, and what is stored last is read: 6 executions. Where the first thread was the last,
// eight threads live at once: the search began with fewer real threads, and begins anew. Who ends it early is told what is
// in no count.
//@ revisions: whole early
//@[whole] expect: verified
//@[whole] executions: 6
//@[early] expect: incomplete
//@[early] args: --reductions=none --max-executions=5
//@[early] note: of before are not counted: the search began anew 1 time, as it had learnt more
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic(char *) last;
static char numbers[3];

static void *store(void *number) {
    atomic_store(&last, (char *)number);
    return number;
}

static void *nothing(void *unused) { return unused; }

static void run(void *(*work)(void *), int count) {
    pthread_t threads[8];
    for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, work, &numbers[i % 3]);
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

int main(void) {
    run(store, 3);
    if (atomic_load(&last) == &numbers[0]) run(nothing, 8);
    return 0;
}
