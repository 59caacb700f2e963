// Dekker's algorithm: in a loop that looks at two places another that looks at one. The optimizer takes the first look
// out of the loop, so that a turn begins elsewhere. Counted by brute force: testsuite/tests/suite/waiting.rs.
// [volatile] With volatile variables, which are taken for atomic ones: the same. [fenced] So it is with a fence in both
// loops, which changes nothing; in inline assembly, too. [every_turn] A thread goes on behind a turn in vain.
//@ expect: verified
//@ revisions: written rotated volatile volatile_rotated fenced fenced_rotated every_turn every_turn_rotated
//@[every_turn] args: --reductions=none,every-turn
//@[every_turn] executions: 11
//@[every_turn] opt: O0
//@[every_turn_rotated] args: --reductions=none,every-turn
//@[every_turn_rotated] executions: 20
//@[every_turn_rotated] opt: O1 O2
//@[written] executions: 4
//@[written] blocked: 6
//@[written] opt: O0
//@[rotated] executions: 11
//@[rotated] blocked: 7
//@[rotated] opt: O1 O2
//@[volatile] executions: 4
//@[volatile] blocked: 6
//@[volatile] opt: O0
//@[volatile] cflags: -DVOLATILE
//@[volatile_rotated] executions: 11
//@[volatile_rotated] blocked: 7
//@[volatile_rotated] opt: O2
//@[volatile_rotated] cflags: -DVOLATILE
//@[fenced] executions: 4
//@[fenced] blocked: 6
//@[fenced] opt: O0
//@[fenced] cflags: -DVOLATILE -DASSEMBLY
//@[fenced_rotated] executions: 11
//@[fenced_rotated] blocked: 7
//@[fenced_rotated] opt: O2
//@[fenced_rotated] cflags: -DFENCE
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N = 2 };

#ifdef VOLATILE
static volatile int flag[N], turn;
#define LOAD(place) (*(place))
#define STORE(place, value) (*(place) = (value))
#else
static atomic_int flag[N], turn;
#define LOAD(place) atomic_load(place)
#define STORE(place, value) atomic_store(place, value)
#endif
#if defined(ASSEMBLY)
#define ORDER() __asm__ __volatile__("lock; orq $0, (%%rsp)" ::: "memory", "cc")
#elif defined(FENCE)
#define ORDER() atomic_thread_fence(memory_order_seq_cst)
#else
#define ORDER()
#endif
int shared;

static void lock(int me) {
    int other = 1 - me;
    STORE(&flag[me], 1);
    while (LOAD(&flag[other])) {
        ORDER();
        if (LOAD(&turn) != me) {
            STORE(&flag[me], 0);
            while (LOAD(&turn) != me) {
                ORDER();
            }
            STORE(&flag[me], 1);
        }
    }
}

static void unlock(int me) {
    STORE(&turn, 1 - me);
    STORE(&flag[me], 0);
}

static void *work(void *arg) {
    int me = (int)(long)arg;
    lock(me);
    shared++;
    unlock(me);
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++) {
        pthread_create(&threads[i], NULL, work, (void *)i);
    }
    for (int i = 0; i < N; i++) {
        pthread_join(threads[i], NULL);
    }
    return shared == N ? 0 : 1;
}
