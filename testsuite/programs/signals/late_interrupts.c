// Late signals whose handler does not ask that calls be begun anew. Main sends (K), stores 1, and lets the thread go (S).
// semaphore: the thread does not await the signal: it gets the count, and the handler runs afterwards: 1. It awaits
// it and looks whether there is a count before S: the call is interrupted, and the handler reads 0 or 1: 2. After S:
// it was woken for it, so that the handler runs, and the call gets it: 1.
// poll: the same, but a call of the kernel's finds the byte before the handler runs. It is interrupted: 2, or finds
// the byte: having waited for it, or having looked after S: 2.
// limited: the wait has a time limit of its own, and nobody posts. It is over first: main gives up next and sends to
// a thread that has ended, 1. The thread awaits the signal, main gives up and sends: interrupted, 1. Main gives up
// first: it sends, and then nobody can go on, but the thread would: blocked, 1.
// lock: limited, too. Over first, as before: 1. Main gives up first, and gives the mutex back: 1. The thread awaits the
// signal: its handler does not end the wait, 1.
// condition: over first: 1. Main gives up first and wakes the thread, which runs its handler afterwards: 1. The thread
// awaits the signal, and reads 0 or 1: 2. It stays a waiter, which main wakes.
// over: nobody wakes it. Over first: 1. Main first: 1 blocked. The thread awaits the signal, and runs its handler; then
// its time is over: 1; or it awaits another signal: 1 blocked.
//@ args: --timeouts=none
//@ revisions: semaphore poll limited lock condition over
//@ expect: verified
//@ dfs: same-outcomes
//@[semaphore] cflags: -DHOW=0
//@[semaphore] executions: 4
//@[semaphore] outcomes: x=0 failed=1 *1 | x=1 failed=1 *1 | x=1 failed=0 *2
//@[poll] cflags: -DHOW=1
//@[poll] executions: 4
//@[poll] outcomes: x=0 failed=1 *1 | x=1 failed=1 *1 | x=1 failed=0 *2
//@[limited] cflags: -DHOW=2
//@[limited] executions: 2
//@[limited] blocked: 1
//@[limited] outcomes: x=-1 failed=2 *1 | x=0 failed=1 *1
//@[lock] cflags: -DHOW=3
//@[lock] executions: 3
//@[lock] outcomes: x=-1 failed=2 *1 | x=0 failed=0 *2
//@[condition] cflags: -DHOW=4
//@[condition] executions: 4
//@[condition] outcomes: x=-1 failed=2 *1 | x=0 failed=0 *1 | x=1 failed=0 *2
//@[over] cflags: -DHOW=5
//@[over] executions: 2
//@[over] blocked: 2
//@[over] outcomes: x=-1 failed=2 *1 | x=0 failed=2 *1
#include <dpor.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t never, count;
static atomic_int x;
static int ends[2], seen = -1, failed;
static struct timespec until = {4000000000, 0};

static void handler(int signal) {
    seen = x;
    (void)signal;
}

static void *wait_limited(void) {
    if (HOW > 3) pthread_mutex_lock(&mutex);
    int result = HOW == 3 ? pthread_mutex_timedlock(&mutex, &until) : pthread_cond_timedwait(&condition, &mutex, &until);
    if (result == 0 || HOW > 3) pthread_mutex_unlock(&mutex);
    failed = result == ETIMEDOUT ? 2 : result;
    return 0;
}

static void *work(void *unused) {
    if (HOW >= 3) return wait_limited();
    struct pollfd one = {ends[0], POLLIN, 0};
    int result = HOW == 0 ? sem_wait(&count) : HOW == 1 ? poll(&one, 1, -1) : sem_timedwait(&count, &until);
    if (result == -1) failed = errno == EINTR ? 1 : errno == ETIMEDOUT ? 2 : 3;
    return unused;
}

int main(void) {
    pthread_t thread;
    struct sigaction action = {.sa_handler = handler};
    pipe(ends);
    sem_init(&never, 0, 0);
    sem_init(&count, 0, 0);
    sigaction(SIGUSR1, &action, 0);
    if (HOW == 3) pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, work, 0);
    sem_timedwait(&never, &until);
    pthread_kill(thread, SIGUSR1);
    if (HOW < 2 || HOW == 4) x = 1;
    if (HOW == 0) sem_post(&count);
    if (HOW == 1) write(ends[1], "a", 1);
    if (HOW == 4) {
        pthread_mutex_lock(&mutex);
        pthread_cond_signal(&condition);
    }
    if (HOW == 3 || HOW == 4) pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    dpor_observe("x", seen);
    dpor_observe("failed", failed);
    sem_destroy(&never);
    sem_destroy(&count);
    return 0;
}
