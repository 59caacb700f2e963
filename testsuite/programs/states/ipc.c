// Messages between two senders and a receiver through a bounded buffer, for ever: a semaphore for free places, one for
// messages, a mutex around the count. [free] Who sends does not wait for a free place, and the buffer overflows.
// [order] The receiver takes the mutex first, and then waits for a message: nobody can send one.
//@ revisions: right free order
//@ args: --states
//@ opt: O0 O2
//@[right] expect: verified
//@[free] cflags: -DFREE
//@[free] expect: bug
//@[free] kind: invariant
//@[order] cflags: -DORDER
//@[order] expect: bug
//@[order] kind: deadlock
#include "dpor.h"
#include <pthread.h>
#include <semaphore.h>

#ifndef SENDERS
#define SENDERS 2
#endif
#ifndef PLACES
#define PLACES 4
#endif

static sem_t places, messages;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

DPOR_INVARIANT(fits, 0 <= count && count <= PLACES)

static void *send(void *unused) {
    for (;;) {
#ifndef FREE
        sem_wait(&places);
#endif
        pthread_mutex_lock(&mutex);
        count++;
        pthread_mutex_unlock(&mutex);
        sem_post(&messages);
    }
    return unused;
}

static void receive(void) {
#ifdef ORDER
    pthread_mutex_lock(&mutex);
    sem_wait(&messages);
#else
    sem_wait(&messages);
    pthread_mutex_lock(&mutex);
#endif
    count--;
    pthread_mutex_unlock(&mutex);
    sem_post(&places);
}

int main(void) {
    pthread_t thread;
    sem_init(&places, 0, PLACES);
    sem_init(&messages, 0, 0);
    for (int n = 0; n < SENDERS; n++) pthread_create(&thread, 0, send, 0);
    for (;;) receive();
}
