// A thread is asked to end after another one gave up waiting, which it did because the thread waits: the request
// cannot have come before the thread blocked, so that it has to end the wait.
// The thread looks for a request (L), tries the semaphore, and waits for an object of its own (B), which the
// request (C) makes ready after it was made (P). All of this but L, C, B and P is ordered by the time-out.
//
// "alone": C, P; B, L, and the thread has left, having said on the semaphore that it listens no more (G): 1.
// "beside": the thread's handler reads what main stores after P: before or after: 2.
// "posted": main posts on the semaphore after P (S). G before S: 1. S before G: main tells the thread (R), which
// comes before B or after it: 2. The thread leaves in all of them, since C comes before L: 3.
// "before": main posts before C, and tells the thread: S, R, C, P. C before L: the thread leaves, without the
// count; B before P or after it: 2. L before C: it takes the count, looks as the call ends (E), and in its next
// wait (L2): C before E, before L2, or after it, when it waits for P: 3. 5 in all.
// "waits", "pauses": for signals: C, P; B, L: 1.
// "reads": in other calls the request is not followed.
//@ args: --timeouts=none
//@ revisions: alone beside posted before waits pauses reads
//@[alone] cflags: -DWAIT=sem_wait(&count)
//@[alone] expect: verified
//@[alone] executions: 1
//@[alone] outcomes: seen=0 through=0 cancelled=1 *1
//@[beside] cflags: -DWAIT=sem_wait(&count) -DBESIDE
//@[beside] expect: verified
//@[beside] executions: 2
//@[beside] outcomes: seen=0 through=0 cancelled=1 *1 | seen=1 through=0 cancelled=1 *1
//@[posted] cflags: -DWAIT=sem_wait(&count) -DPOSTED
//@[posted] expect: verified
//@[posted] executions: 3
//@[posted] outcomes: seen=0 through=0 cancelled=1 *3
//@[before] cflags: -DWAIT=sem_wait(&count) -DBEFORE
//@[before] expect: verified
//@[before] executions: 5
//@[before] outcomes: seen=0 through=0 cancelled=1 *2 | seen=0 through=1 cancelled=1 *3
//@[waits] cflags: -DWAIT=sigwait(&set,&signal)
//@[waits] expect: verified
//@[waits] executions: 1
//@[waits] outcomes: seen=0 through=0 cancelled=1 *1
//@[pauses] cflags: -DWAIT=pause()
//@[pauses] expect: verified
//@[pauses] executions: 1
//@[pauses] outcomes: seen=0 through=0 cancelled=1 *1
//@[reads] cflags: -DWAIT=read(ends[0],&signal,1)
//@[reads] expect: unsupported
//@[reads] reason: only a time-out let anything go on
#include <dpor.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static sem_t never, count;
static int ends[2], seen, through;
static atomic_int stored;
static struct timespec far = {4000000000, 0};

static void leave(void *unused) {
#ifdef BESIDE
    seen = stored;
#endif
    (void)unused;
}

static void *work(void *unused) {
    sigset_t set;
    int signal = SIGUSR1;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_cleanup_push(leave, 0);
    WAIT;
    through = 1;
    sem_wait(&count);
    pthread_cleanup_pop(0);
    (void)signal;
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pipe(ends);
    sem_init(&never, 0, 0);
    sem_init(&count, 0, 0);
    pthread_create(&thread, 0, work, 0);
    sem_timedwait(&never, &far);
#ifdef BEFORE
    sem_post(&count);
#endif
    pthread_cancel(thread);
#ifdef POSTED
    sem_post(&count);
#endif
#ifdef BESIDE
    stored = 1;
#endif
    pthread_join(thread, &result);
    dpor_observe("seen", seen);
    dpor_observe("through", through);
    dpor_observe("cancelled", result == PTHREAD_CANCELED);
    sem_destroy(&never);
    sem_destroy(&count);
    return 0;
}
