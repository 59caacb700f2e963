// A channel is closed and freed while its worker still uses it: closing waits for the worker's last message, and not for
// the worker.
// Source: Musuvathi and Qadeer, PLDI 2007, figure 3 (1 preemption, right before the lock); written anew. The memory is
// not really freed: a flag says that it would be.
//
// Preemptions: the worker tells the application and is left before it takes the lock (1); `main` wakes up, frees the
// channel and blocks in the join; the worker goes on. None: a worker that is not left is through before main wakes up.
//@ revisions: rising icb below waits
//@[rising] expect: bug
//@[rising] kind: assertion
//@[rising] preemptions: 1
//@[rising] args: --iterative
//@[icb] expect: bug
//@[icb] kind: assertion
//@[icb] preemptions: 1
//@[icb] args: --search=icb
//@[below] expect: verified
//@[below] args: --iterative --bound=0
//@[waits] expect: verified
//@[waits] cflags: -DWAITS
//@[waits] args: --iterative --bound=1
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

struct channel {
    pthread_mutex_t lock;
    sem_t stop, stopped;
    atomic_int freed;
};

static struct channel channel = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void lock(struct channel *c) {
    assert(!atomic_load(&c->freed)); //~[rising] assertion
    pthread_mutex_lock(&c->lock);
}

static void *serve(void *argument) {
    struct channel *c = argument;
    sem_wait(&c->stop);
    // The application is told that this worker stops.
    sem_post(&c->stopped);
    lock(c);
    pthread_mutex_unlock(&c->lock);
    return 0;
}

int main(void) {
    pthread_t worker;
    sem_init(&channel.stop, 0, 0);
    sem_init(&channel.stopped, 0, 0);
    pthread_create(&worker, 0, serve, &channel);
    sem_post(&channel.stop);
    sem_wait(&channel.stopped);
#ifdef WAITS
    pthread_join(worker, 0);
#endif
    atomic_store(&channel.freed, 1);
#ifndef WAITS
    pthread_join(worker, 0);
#endif
    sem_destroy(&channel.stop);
    sem_destroy(&channel.stopped);
    return 0;
}
