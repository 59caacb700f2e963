// Loops that wait, found while the program runs: each by its registers and its stack.
// once, yields: a flag that another thread sets. The first look comes after the store, 1 execution, or before it: then the
//   thread goes no further, 1 is blocked.
// of_volatile: as once, but behind a look in vain the thread waits for the store, and looks again. 2 executions.
// unoptimized: as once. The first look writes a word of the stack that held something else, so the second one, if it is in
//   vain, too, is the first that leads to where it began: the store comes before the first, or between both, 2
//   executions, or after the second, 1 is blocked.
// never: nobody stores what the thread waits for.
// locked: the flag is looked at under a mutex, under which it is set.
// in_register, in_memory, on_stack: three looks at most, which may all be in vain: the store comes before the first look,
//   between two, or after the last, and then before or after the end of the process. 5 executions, of which two fail: such
//   a loop is none that waits. (dpor-cc has the same numbers.)
//@ revisions: once yields of_volatile unoptimized never locked in_register in_memory on_stack
//@[once] expect: verified
//@[once] executions: 1
//@[once] blocked: 1
//@[once] cflags: -DONCE
//@[yields] expect: verified
//@[yields] executions: 1
//@[yields] blocked: 1
//@[yields] cflags: -DYIELDS
//@[of_volatile] expect: verified
//@[of_volatile] executions: 2
//@[of_volatile] cflags: -DOF_VOLATILE
//@[unoptimized] expect: verified
//@[unoptimized] executions: 2
//@[unoptimized] blocked: 1
//@[unoptimized] cflags: -DONCE -O0
//@[never] expect: bug
//@[never] kind: livelock
//@[never] cflags: -DNEVER
//@[locked] expect: verified
//@[locked] cflags: -DLOCKED
//@[in_register] expect: bug
//@[in_register] kind: assertion
//@[in_register] args: -k
//@[in_register] executions: 3
//@[in_register] failed: 2
//@[in_register] cflags: -DTURNS=register
//@[in_memory] expect: bug
//@[in_memory] kind: assertion
//@[in_memory] args: -k
//@[in_memory] executions: 3
//@[in_memory] failed: 2
//@[in_memory] cflags: -DTURNS=static
//@[on_stack] expect: bug
//@[on_stack] kind: assertion
//@[on_stack] args: -k
//@[on_stack] executions: 3
//@[on_stack] failed: 2
//@[on_stack] cflags: -DTURNS=volatile --param=tsan-distinguish-volatile=0
//@ opt: O2
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int flag;
static volatile int plain;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int under;
static void *set(void *unused) {
#if defined OF_VOLATILE
    plain = 1;
#elif defined LOCKED
    pthread_mutex_lock(&mutex);
    under = 1;
    pthread_mutex_unlock(&mutex);
#else
    flag = 1;
#endif
    return unused;
}
static void wait_for_it(void) {
#if defined ONCE
    while (!flag) {
    }
#elif defined YIELDS
    while (!flag)
        sched_yield();
#elif defined OF_VOLATILE
    while (!plain) {
    }
#elif defined NEVER
    while (flag != 2) {
    }
#elif defined LOCKED
    for (int seen = 0; !seen;) {
        pthread_mutex_lock(&mutex);
        seen = under;
        pthread_mutex_unlock(&mutex);
    }
#else
    TURNS int turns = 0;
    while (!flag)
        assert(++turns < 3);
#endif
}
int main(void) {
    pthread_t other;
    pthread_create(&other, 0, set, 0);
    wait_for_it();
    pthread_join(other, 0);
    return 0;
}
