// A thread serves for ever, and main ends the process, by a return or by exit: nothing waits for the thread. That it
// waits then is no deadlock. That main does not wait for it is a warning, and says what the thread waits for.
//
// condvar: main's critical section comes before the thread's first, or after it, when the thread waits: 2 executions.
// semaphore: the thread takes what main posted, whenever that was: 1. mutex: main has locked what the thread wants: 1.
// turns: a thread in a loop that looks at a cell, which main never writes: 1.
//@ revisions: condvar semaphore mutex turns calls pipe
//@[condvar] cflags: -DCONDVAR
//@[condvar] executions: 2
//@[condvar] message: waits for a signal when the process ends
//@[semaphore] cflags: -DSEMAPHORE
//@[semaphore] executions: 1
//@[semaphore] message: waits for a semaphore that counts 0 when the process ends
//@[mutex] cflags: -DMUTEX
//@[mutex] executions: 1
//@[mutex] message: waits for a mutex that thread 0 holds
//@[turns] cflags: -DTURNS
//@[turns] executions: 1
//@[calls] cflags: -DCONDVAR -DCALLS
//@[calls] executions: 2
//@[pipe] cflags: -DPIPE
//@ opt: O0 O2
//@ expect: verified
//@ kind: main-exits-early
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int jobs, ends[2];
static sem_t requests;
static atomic_int go;

#if defined(CONDVAR)
static void prepare(void) {}
static void serve(void) {
    pthread_mutex_lock(&mutex);
    while (!jobs) {
        pthread_cond_wait(&changed, &mutex);
    }
    jobs = 0;
    pthread_mutex_unlock(&mutex);
}
static void ask(void) {
    pthread_mutex_lock(&mutex);
    jobs = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
}
#elif defined(SEMAPHORE)
static void prepare(void) { sem_init(&requests, 0, 0); }
static void serve(void) { sem_wait(&requests); }
static void ask(void) { sem_post(&requests); }
#elif defined(MUTEX)
static void prepare(void) { pthread_mutex_lock(&mutex); }
static void serve(void) { pthread_mutex_lock(&mutex); }
static void ask(void) {}
#elif defined(TURNS)
static void prepare(void) {}
static void serve(void) {
    while (!atomic_load(&go)) {
    }
}
static void ask(void) {}
#else
static void prepare(void) { (void)!pipe(ends); }
static void serve(void) {
    char byte;
    (void)!read(ends[0], &byte, 1);
}
static void ask(void) { (void)!write(ends[1], "x", 1); }
#endif

static void *run(void *unused) {
    for (;;) {
        serve();
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    prepare();
    pthread_create(&thread, 0, run, 0);
    pthread_detach(thread);
    ask();
#ifdef CALLS
    exit(0); //~[calls] main-exits-early
#endif
    return 0; //~[condvar] main-exits-early
}
