// What executions leave in memory (--deterministic), of programs that end.
// sum: two threads add under a lock: 2 orders, one end.
// twice: one adds, the other multiplies: the end depends on the order.
// left_out: the same, and the program says that it does not matter.
// freed: each thread allocates, writes its turn into the block and frees it: what freed memory holds is nobody's.
// kept: each thread keeps a block that holds its turn.
// leaves: the second thread to come keeps a block, whoever it is: which one lives depends on the order.
// own: each keeps a block of its own, and holds in it what it is told.
//@ revisions: sum twice left_out freed kept leaves own
//@ args: --deterministic
//@ parts: no
//@ checkpoint: snapshot
//@ opt: O0 O2
//@[sum] cflags: -DSUM
//@[sum] expect: verified
//@[twice] cflags: -DTWICE
//@[twice] expect: bug
//@[twice] kind: nondeterminism
//@[left_out] cflags: -DTWICE -DLEFT_OUT
//@[left_out] expect: verified
//@[freed] cflags: -DFREED
//@[freed] expect: verified
//@[kept] cflags: -DKEPT
//@[kept] expect: bug
//@[kept] kind: nondeterminism
//@[leaves] cflags: -DLEAVES
//@[leaves] expect: bug
//@[leaves] kind: leak nondeterminism
//@[own] cflags: -DOWN
//@[own] expect: verified
#include <dpor.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int x = 1, turn;
static int *kept[2];

static void *work(void *argument) {
    long me = (long)argument;
    char text[16];
    pthread_mutex_lock(&mutex);
    int mine = turn++;
    snprintf(text, sizeof text, "%d", mine);
#ifdef SUM
    x += (int)me + 1;
#endif
#ifdef TWICE
    x = me ? 2 * x : x + 1;
#endif
    pthread_mutex_unlock(&mutex);
#ifdef FREED
    int *block = malloc(sizeof *block);
    *block = mine;
    free(block);
#endif
#ifdef KEPT
    kept[me] = malloc(sizeof(int));
    *kept[me] = mine;
#endif
#ifdef LEAVES
    int *block = malloc(sizeof *block);
    *block = 7;
    if (mine == 0) free(block);
#endif
#ifdef OWN
    kept[me] = malloc(sizeof(int));
    *kept[me] = (int)me;
#endif
    return NULL;
}

int main(void) {
    pthread_t threads[2];
#ifdef LEFT_OUT
    dpor_unmatched(&x, sizeof x);
#endif
    for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
