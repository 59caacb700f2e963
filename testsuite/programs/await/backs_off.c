// Loops with a counter that says only for how long they pause or sleep: without it their turns are alike.
// By hand, as written: the store comes before the look of the first turn, or the second turn waits for it: 2. The
// optimizer takes the first look out of the loop: before that look, before the next, or waited for: 3.
//@ expect: verified
//@ revisions: sleep pause capped sleep_rotated pause_rotated capped_rotated
//@[sleep] cflags: -DBACK_OFF=usleep(delay),delay*=2
//@[sleep] executions: 2
//@[sleep] opt: O0
//@[sleep_rotated] cflags: -DBACK_OFF=usleep(delay),delay*=2
//@[sleep_rotated] executions: 3
//@[sleep_rotated] opt: O1 O2
//@[pause] cflags: -DBACK_OFF=linger(delay),delay*=2
//@[pause] executions: 2
//@[pause] opt: O0
//@[pause_rotated] cflags: -DBACK_OFF=linger(delay),delay*=2
//@[pause_rotated] executions: 3
//@[pause_rotated] opt: O1 O2
//@[capped] cflags: -DBACK_OFF=linger(delay),delay=delay<8?2*delay:8
//@[capped] executions: 2
//@[capped] opt: O0
//@[capped_rotated] cflags: -DBACK_OFF=linger(delay),delay=delay<8?2*delay:8
//@[capped_rotated] executions: 3
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
