// Threads with the same function and argument that main tells apart all the same: by what they return,
// by what it does between the joins, by what it wrote between the creations. The reduction must
// not lose the outcomes in which the second thread is first.
//@ expect: verified
//@ args: --reductions=symmetry
//@ revisions: returned between_joins between_creations
//@[returned] cflags: -DRETURNED
//@[returned] executions: 2
//@[returned] outcomes: first=0 second=1 *1 | first=1 second=0 *1
//@[between_joins] cflags: -DBETWEEN_JOINS
//@[between_joins] outcomes: early=0 late=0 | early=0 late=1 | early=1 late=0
//@[between_creations] cflags: -DBETWEEN_CREATIONS
//@[between_creations] executions: 2
//@[returned] dfs: same-outcomes
//@[between_joins] dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int order, flag;
static int seen[2];
int common;

static void *draw(void *unused) {
    (void)unused;
    int mine = atomic_fetch_add(&order, 1);
#ifdef BETWEEN_JOINS
    seen[mine] = atomic_load(&flag);
#endif
    return (void *)(intptr_t)mine;
}

int main(void) {
    pthread_t threads[2];
    void *result[2] = {0, 0};
    pthread_create(&threads[0], 0, draw, 0);
#ifdef BETWEEN_CREATIONS
    common = 1;
#endif
    pthread_create(&threads[1], 0, draw, 0);
#ifdef RETURNED
    pthread_join(threads[0], &result[0]);
    pthread_join(threads[1], &result[1]);
    dpor_observe("first", (intptr_t)result[0]);
    dpor_observe("second", (intptr_t)result[1]);
#else
    (void)result;
    pthread_join(threads[0], 0);
#ifdef BETWEEN_JOINS
    flag = 1;
#endif
    pthread_join(threads[1], 0);
#endif
#ifdef BETWEEN_JOINS
    dpor_observe("early", seen[0]);
    dpor_observe("late", seen[1]);
#endif
    return 0;
}
