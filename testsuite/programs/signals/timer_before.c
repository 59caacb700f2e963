// A timer that was set while there was one thread. It expires where no thread can go on (E). A thread gets its signal
// in its wait if it awaits it: it gave up before (M: main, S: the other one).
// one: M E, 1. E: the thread would go on, 1 blocked.
// two: main or the other thread gets the signal, and the handler posts in any case. M E to main, and S E to the other:
// 2. E: whoever gets it would go on, and whichever of the two gives up next, it is not there: 4 blocked. M E to the
// other, S E to main: 2. S before M: they give up in order, 1. M S E: the one who does not get it awaits it for ever, 2.
// 9 blocked.
//@ args: --timeouts=none
//@ revisions: one two
//@ expect: verified
//@[one] executions: 1
//@[one] blocked: 1
//@[two] cflags: -DTWO
//@[two] executions: 2
//@[two] blocked: 9
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

static sem_t posted;
static int ran;

static void handle(int number) {
    (void)number;
    ran++;
    sem_post(&posted);
}

static void *work(void *unused) {
    while (sem_wait(&posted)) {
    }
    return unused;
}

int main(void) {
    sem_init(&posted, 0, 0);
    signal(SIGALRM, handle);
    alarm(1);
#ifdef TWO
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
#else
    work(0);
#endif
    dpor_assert(ran == 1);
    sem_destroy(&posted);
    return 0;
}
