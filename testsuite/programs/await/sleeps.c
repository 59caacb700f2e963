// Loops that sleep between two looks: what a turn in vain leaves is that time passed, which only a clock could tell.
// As written, the store comes before the look of the first turn: 1 execution; or behind it, and the turn in vain is the
// last thing that its thread does: 1 is blocked. The optimizer takes the first look out of the loop, and only a turn can
// be in vain: the store comes before that look or the next, 2 executions, or behind both, 1 blocked. A loop that yields
// is an access that waits. [every_turn] A thread waits for the store behind a turn in vain: 2 executions, and 3.
// Counted by brute force, too: testsuite/tests/suite/waiting_for_others.rs.
//@ expect: verified
//@ revisions: micro second nano local poll micro_rotated second_rotated nano_rotated local_rotated poll_rotated yield every_turn every_turn_rotated
//@[micro] cflags: -DWAIT=usleep(100)
//@[micro] executions: 1
//@[micro] blocked: 1
//@[micro] opt: O0
//@[micro_rotated] cflags: -DWAIT=usleep(100)
//@[micro_rotated] executions: 2
//@[micro_rotated] blocked: 1
//@[micro_rotated] opt: O2
//@[second] cflags: -DWAIT=sleep(1)
//@[second] executions: 1
//@[second] blocked: 1
//@[second] opt: O0
//@[second_rotated] cflags: -DWAIT=sleep(1)
//@[second_rotated] executions: 2
//@[second_rotated] blocked: 1
//@[second_rotated] opt: O2
//@[nano] cflags: -DWAIT=nanosleep(&moment,NULL)
//@[nano] executions: 1
//@[nano] blocked: 1
//@[nano] opt: O0
//@[nano_rotated] cflags: -DWAIT=nanosleep(&moment,NULL)
//@[nano_rotated] executions: 2
//@[nano_rotated] blocked: 1
//@[nano_rotated] opt: O2
//@[local] cflags: -DWAIT=nap()
//@[local] executions: 1
//@[local] blocked: 1
//@[local] opt: O0
//@[local_rotated] cflags: -DWAIT=nap()
//@[local_rotated] executions: 2
//@[local_rotated] blocked: 1
//@[local_rotated] opt: O2
//@[poll] cflags: -DWAIT=poll(NULL,0,10)
//@[poll] executions: 1
//@[poll] blocked: 1
//@[poll] opt: O0
//@[poll_rotated] cflags: -DWAIT=poll(NULL,0,10)
//@[poll_rotated] executions: 2
//@[poll_rotated] blocked: 1
//@[poll_rotated] opt: O2
//@[yield] cflags: -DWAIT=sched_yield()
//@[yield] executions: 1
//@[yield] opt: O0 O2
//@[micro] args: --reductions=none
//@[second] args: --reductions=none
//@[nano] args: --reductions=none
//@[local] args: --reductions=none
//@[poll] args: --reductions=none
//@[micro_rotated] args: --reductions=none
//@[second_rotated] args: --reductions=none
//@[nano_rotated] args: --reductions=none
//@[local_rotated] args: --reductions=none
//@[poll_rotated] args: --reductions=none
//@[yield] args: --reductions=none
//@[every_turn] cflags: -DWAIT=usleep(100)
//@[every_turn] args: --reductions=none,every-turn
//@[every_turn] executions: 2
//@[every_turn] opt: O0
//@[every_turn_rotated] cflags: -DWAIT=usleep(100)
//@[every_turn_rotated] args: --reductions=none,every-turn
//@[every_turn_rotated] executions: 3
//@[every_turn_rotated] opt: O2
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

atomic_int flag;
int data;
const struct timespec moment = {0, 1000};

static inline void nap(void) {
    struct timespec rest = {0, 1000};
    while (nanosleep(&rest, &rest) == -1) {
    }
}

static void *writer(void *unused) {
    data = 1;
    atomic_store(&flag, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    while (!atomic_load(&flag)) WAIT;
    int seen = data;
    pthread_join(thread, NULL);
    return seen != 1;
}
