// Of the threads at a barrier only the first LOOK look whether they are the serial one; main and the others do
// not. One of those that look is it, or none: LOOK + 1 ways. Arrivals do not commute here: n! orders of n threads.
// The threads that look are not the lowest.
//@ revisions: one two three
//@[one] cflags: -DLOOK=1 -DOTHERS=0
//@[two] cflags: -DLOOK=2 -DOTHERS=2
//@[three] cflags: -DLOOK=3 -DOTHERS=0
//@ expect: verified
//@[one] executions: 4
//@[one] outcomes: serial=0 *2 | serial=1 *2
//@[two] executions: 360
//@[two] outcomes: serial=0 *120 | serial=1 *120 | serial=2 *120
//@[three] executions: 96
//@[three] outcomes: serial=0 *24 | serial=1 *24 | serial=2 *24 | serial=4 *24
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <stdint.h>

static pthread_barrier_t barrier;
static int serial[LOOK];

static void *look(void *number) {
    int *mine = &serial[(intptr_t)number];
    *mine = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    return 0;
}

static void *pass(void *unused) {
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void) {
    pthread_t threads[OTHERS + LOOK];
    int sum = 0;
    pthread_barrier_init(&barrier, 0, OTHERS + LOOK + 1);
    for (int i = 0; i < OTHERS; i++) pthread_create(&threads[i], 0, pass, 0);
    for (intptr_t i = 0; i < LOOK; i++) pthread_create(&threads[OTHERS + i], 0, look, (void *)i);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < OTHERS + LOOK; i++) pthread_join(threads[i], 0);
    for (int i = 0; i < LOOK; i++) sum += serial[i] << i;
    dpor_observe("serial", sum);
    pthread_barrier_destroy(&barrier);
    return 0;
}
