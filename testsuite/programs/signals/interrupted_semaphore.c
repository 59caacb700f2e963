// A handler and a wait for a semaphore. The thread looks for signals when it calls (1) and once more in the
// call (2). The signal, which precedes the post, comes
// - before 1: the handler runs, then the wait succeeds;
// - between: the thread tries. Without the post it is interrupted, unless the handler asks to begin anew;
//   with it, it has what it waits for;
// - after 2: the thread waits for the post.
// That makes 4. On Linux a wait with a limit is not begun anew.
//@ args: --timeouts=none
//@ revisions: plain restart limit
//@ expect: verified
//@ executions: 4
//@[plain] cflags: -DFLAGS=0 -DLIMIT=0
//@[plain] outcomes: interrupted=1 left=1 *1 | interrupted=0 left=0 *3
//@[restart] cflags: -DFLAGS=SA_RESTART -DLIMIT=0
//@[restart] outcomes: interrupted=0 left=0 *4
//@[limit] cflags: -DFLAGS=SA_RESTART -DLIMIT=1
//@[limit] outcomes: interrupted=1 left=1 *1 | interrupted=0 left=0 *3
//@ dfs: same-outcomes
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

static sem_t semaphore;
static int ran, interrupted;

static void handler(int signal) {
    (void)signal;
    ran++;
}

static void *work(void *unused) {
    struct timespec never = {1L << 40, 0};
    if (LIMIT ? sem_timedwait(&semaphore, &never) : sem_wait(&semaphore)) {
        dpor_assert(errno == EINTR && ran == 1);
        interrupted = 1;
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    struct sigaction action = {.sa_handler = handler, .sa_flags = FLAGS};
    int left;
    sigaction(SIGUSR1, &action, 0);
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, 0, work, 0);
    pthread_kill(thread, SIGUSR1);
    sem_post(&semaphore);
    pthread_join(thread, 0);
    sem_getvalue(&semaphore, &left);
    dpor_assert(ran == 1);
    dpor_observe("interrupted", interrupted);
    dpor_observe("left", left);
    sem_destroy(&semaphore);
    return 0;
}
