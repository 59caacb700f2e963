// Loops that sleep between two looks: what a turn in vain leaves is that time passed, which only a clock could tell.
// By hand, as written: the store comes before the look of the first turn, or the second turn waits for it: 2. The
// optimizer takes the first look out of the loop, and only a turn can be in vain: before that look, before the next, or
// waited for: 3. A loop that yields is an access that waits.
//@ expect: verified
//@ revisions: micro second nano local poll micro_rotated second_rotated nano_rotated local_rotated poll_rotated yield
//@[micro] cflags: -DWAIT=usleep(100)
//@[micro] executions: 2
//@[micro] opt: O0
//@[micro_rotated] cflags: -DWAIT=usleep(100)
//@[micro_rotated] executions: 3
//@[micro_rotated] opt: O2
//@[second] cflags: -DWAIT=sleep(1)
//@[second] executions: 2
//@[second] opt: O0
//@[second_rotated] cflags: -DWAIT=sleep(1)
//@[second_rotated] executions: 3
//@[second_rotated] opt: O2
//@[nano] cflags: -DWAIT=nanosleep(&moment,NULL)
//@[nano] executions: 2
//@[nano] opt: O0
//@[nano_rotated] cflags: -DWAIT=nanosleep(&moment,NULL)
//@[nano_rotated] executions: 3
//@[nano_rotated] opt: O2
//@[local] cflags: -DWAIT=nap()
//@[local] executions: 2
//@[local] opt: O0
//@[local_rotated] cflags: -DWAIT=nap()
//@[local_rotated] executions: 3
//@[local_rotated] opt: O2
//@[poll] cflags: -DWAIT=poll(NULL,0,10)
//@[poll] executions: 2
//@[poll] opt: O0
//@[poll_rotated] cflags: -DWAIT=poll(NULL,0,10)
//@[poll_rotated] executions: 3
//@[poll_rotated] opt: O2
//@[yield] cflags: -DWAIT=sched_yield()
//@[yield] executions: 1
//@[yield] opt: O0 O2
//@ args: --reductions=none
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
