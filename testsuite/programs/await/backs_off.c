// Loops with a counter that says only for how long they pause or sleep: without it their turns are alike.
// As written, the store comes before the look of the first turn: 1 execution; or behind it, and the turn in vain is the
// last thing that its thread does: 1 is blocked. The optimizer takes the first look out of the loop, and only a turn can
// be in vain: the store comes before that look or the next, 2 executions, or behind both, 1 blocked.
// Counted by brute force, too: testsuite/tests/suite/waiting_for_others.rs.
//@ expect: verified
//@ revisions: sleep pause capped sleep_rotated pause_rotated capped_rotated
//@[sleep] cflags: -DBACK_OFF=usleep(delay),delay*=2
//@[sleep] executions: 1
//@[sleep] blocked: 1
//@[sleep] opt: O0
//@[sleep_rotated] cflags: -DBACK_OFF=usleep(delay),delay*=2
//@[sleep_rotated] executions: 2
//@[sleep_rotated] blocked: 1
//@[sleep_rotated] opt: O1 O2
//@[pause] cflags: -DBACK_OFF=linger(delay),delay*=2
//@[pause] executions: 1
//@[pause] blocked: 1
//@[pause] opt: O0
//@[pause_rotated] cflags: -DBACK_OFF=linger(delay),delay*=2
//@[pause_rotated] executions: 2
//@[pause_rotated] blocked: 1
//@[pause_rotated] opt: O1 O2
//@[capped] cflags: -DBACK_OFF=linger(delay),delay=delay<8?2*delay:8
//@[capped] executions: 1
//@[capped] blocked: 1
//@[capped] opt: O0
//@[capped_rotated] cflags: -DBACK_OFF=linger(delay),delay=delay<8?2*delay:8
//@[capped_rotated] executions: 2
//@[capped_rotated] blocked: 1
//@[capped_rotated] opt: O1 O2
//@ args: --reductions=none
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

atomic_int flag;
int data;

static inline void linger(int turns) {
    for (int i = 0; i < turns; i++) __builtin_ia32_pause();
}

static void *writer(void *unused) {
    data = 1;
    atomic_store(&flag, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    int delay = 1;
    while (!atomic_load(&flag)) {
        BACK_OFF;
    }
    int seen = data;
    pthread_join(thread, NULL);
    return seen != 1;
}
