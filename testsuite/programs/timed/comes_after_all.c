// The first thread waits for what never comes, and then ends the wait of the second one. Main joins both.
// The second thread tries after that, or is woken: late=0. Or it gives up: early; where nothing else can go on, before the
// first one did; or early, after the first one gave up where nothing else could go on.
// sem. Whether they give up early: F of the first thread, S of the second; 1 is early, at most one is.
// F1: the try succeeds, 1; it fails, and S is 0, before F or after it, 2. S1: before F or after it, 2, late.
// Both 0: the first gives up where nothing else can go on, and the second decides again: it stays and is woken, 1; or
// it gives up, 1, late. Or the second does, and has ended before the first decides again, which has then no choice: 1, late.
// 8, of which it comes late in 4.
// The others have more objects: only the outcomes.
//@ revisions: sem condition futex none-sem
//@ expect: verified
//@ dfs: same-outcomes
//@[sem] opt: O0 O2
//@[sem] cflags: -DWAIT=sem_timedwait(&posted,&until) -DEND=sem_post(&posted)
//@[sem] executions: 8
//@[sem] outcomes: late=0 *4 | late=1 *4
//@[condition] cflags: -DWAIT=condition() -DEND=signal_once()
//@[condition] outcomes: late=0 | late=1
//@[futex] cflags: -DWAIT=futex() -DEND=wake_once()
//@[futex] outcomes: late=0 | late=1
//@[none-sem] args: --timeouts=none
//@[none-sem] cflags: -DWAIT=sem_timedwait(&posted,&until) -DEND=sem_post(&posted)
//@[none-sem] executions: 2
//@[none-sem] outcomes: late=0 *1 | late=1 *1
#include <dpor.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static sem_t never, posted;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t signalled = PTHREAD_COND_INITIALIZER;
static atomic_int word;
static struct timespec until;

int condition(void) {
    pthread_mutex_lock(&mutex);
    int result = pthread_cond_timedwait(&signalled, &mutex, &until);
    pthread_mutex_unlock(&mutex);
    return result;
}

void signal_once(void) {
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&signalled);
    pthread_mutex_unlock(&mutex);
}

int futex(void) {
    struct timespec second = {1, 0};
    return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &second) != 0;
}

void wake_once(void) {
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
}

static void *first(void *unused) {
    sem_timedwait(&never, &until);
    END;
    return unused;
}

static void *second(void *unused) {
    dpor_observe("late", (WAIT) != 0);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1000;
    sem_init(&never, 0, 0);
    sem_init(&posted, 0, 0);
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int k = 0; k < 2; k++) pthread_join(threads[k], NULL);
    sem_destroy(&never);
    sem_destroy(&posted);
    return 0;
}
