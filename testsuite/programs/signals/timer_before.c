// A timer that was set while there was one thread: its handler would post in real time. Without it
// the program would wait for ever, which must not be said of it.
//@ expect: unsupported
//@ reason: a timer with a handler
//@ revisions: one two
//@[two] cflags: -DTWO
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

static sem_t posted;

static void handle(int number) {
    (void)number;
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
    return 0;
}
