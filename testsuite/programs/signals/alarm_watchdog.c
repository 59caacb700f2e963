// An alarm that would only end the process does not come: the deadlock is a deadlock.
//@ revisions: plain timeouts
//@ expect: bug
//@ kind: deadlock
//@[timeouts] args: --timeouts
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t never;

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    sem_init(&never, 0, 0);
    pthread_create(&thread, 0, idle, 0);
    alarm(5);
    sem_wait(&never);
    pthread_join(thread, 0);
    return 0;
}
