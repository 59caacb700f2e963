// A timer that was set while there was one thread. It expires where no thread can go on (E), and then no
// thread looks for signals that has not looked before; so each thread that blocks also looks then (M: main,
// S: the other), once if it is in vain.
// one: E M is the execution; M E is none that is possible, as the signal does not wake main: 1, 1 blocked.
// two: main or the other thread gets the signal, and the handler posts in any case. After E who got it looks: M
// for main, S for the other, 2; if the other one gives up first instead, that is not where nothing can go on:
// 2 blocked. M E: S for the other, 1, and nothing more for main, 1 blocked; S E likewise 1 and 1. M S E and
// S M E: 4 blocked.
//@ revisions: one two
//@ expect: verified
//@[one] executions: 1
//@[one] blocked: 1
//@[two] cflags: -DTWO
//@[two] executions: 4
//@[two] blocked: 8
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
