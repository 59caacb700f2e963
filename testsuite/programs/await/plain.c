// Loops that wait by plain reads, where plain accesses are events. By hand: the store comes before the first look, or
// after it, and then the thread waits: 2.
// [peterson] Peterson's algorithm on plain variables: 12, as with volatile ones (peterson.c).
// Only without optimization: otherwise the compiler reads once, as it may.
//@ expect: verified
//@ args: --plain=explore --races=off --reductions=none
//@ revisions: flag peterson
//@ opt: O0
//@[flag] executions: 2
//@[peterson] executions: 12
//@[peterson] cflags: -DPETERSON
#include <pthread.h>
#include <stddef.h>

static int wants[2], turn, inside, overlaps;

#ifdef PETERSON
static void *work(void *argument) {
    int me = (int)(long)argument;
    wants[me] = 1;
    turn = 1 - me;
    while (wants[1 - me] && turn == 1 - me) {
    }
    inside = me;
    overlaps |= inside != me;
    wants[me] = 0;
    return NULL;
}
#else
static void *work(void *argument) {
    if (argument) {
        turn = 1;
        return NULL;
    }
    while (!turn) {
    }
    return NULL;
}
#endif

int main(void) {
    pthread_t threads[2];
    (void)wants, (void)inside;
    for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return overlaps;
}
