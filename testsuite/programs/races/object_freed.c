// Objects in a heap block that is freed or destroyed while a call on them may still come.
//
// early: the signal comes after the unlock, so that the waiter may find the flag set, go on and destroy
// the condition variable before it. The setter's section first: the waiter does not wait, and nothing
// orders signal and destroy; they come in two orders, one of which is a use of what is destroyed and
// ends there. The waiter's section first: the signal wakes it, and so comes before the destroy.
// freed: the same, but the waiter frees the block without a destroy, so that only the sections and the
// wait are in an order: setter first or waiter first. In the former trace nothing orders signal and free.
// inside: the signal inside the section. Setter first or waiter first: 2 traces, both clean.
// unlock: two threads give up their share, each in a section, and who takes the last one destroys the
// mutex after its unlock and frees it, which POSIX promises to work. The sections come in 2 orders.
//@ revisions: early freed inside unlock
//@[freed] cflags: -DEARLY -DFREED
//@[freed] expect: bug
//@[freed] args: -k
//@[freed] kind: data-race not-destroyed
//@[freed] executions: 2
//@[early] cflags: -DEARLY
//@[early] expect: bug
//@[early] args: -k
//@[early] kind: data-race uninitialized-object
//@[early] executions: 2
//@[early] failed: 1
//@[inside] cflags: -DINSIDE
//@[inside] expect: verified
//@[inside] executions: 2
//@[unlock] cflags: -DUNLOCK
//@[unlock] expect: verified
//@[unlock] executions: 2
#include <pthread.h>
#include <stdlib.h>

struct shared {
    pthread_mutex_t mutex;
    pthread_cond_t ready;
    int flag, users;
} *shared;

#ifdef UNLOCK
static void *user(void *unused) {
    struct shared *mine = shared;
    pthread_mutex_lock(&mine->mutex);
    int last = --mine->users == 0;
    pthread_mutex_unlock(&mine->mutex);
    if (last) {
        pthread_cond_destroy(&mine->ready);
        pthread_mutex_destroy(&mine->mutex);
        free(mine);
    }
    return unused;
}

static void *other(void *unused) { return user(unused); }
#else
static void *user(void *unused) {
    pthread_mutex_lock(&shared->mutex);
    shared->flag = 1;
#ifdef INSIDE
    pthread_cond_signal(&shared->ready);
#endif
    pthread_mutex_unlock(&shared->mutex);
#ifdef EARLY
    pthread_cond_signal(&shared->ready); //~[early] race
#endif
    return unused;
}

static void *other(void *unused) {
    struct shared *mine = shared;
    pthread_mutex_lock(&mine->mutex);
    while (!mine->flag) pthread_cond_wait(&mine->ready, &mine->mutex);
    pthread_mutex_unlock(&mine->mutex);
#ifdef FREED
    free(mine);
#else
    pthread_cond_destroy(&mine->ready); //~[early] race
#endif
    return unused;
}
#endif

int main(void) {
    pthread_t a, b;
    shared = malloc(sizeof *shared);
    pthread_mutex_init(&shared->mutex, 0);
    pthread_cond_init(&shared->ready, 0);
    shared->flag = 0;
    shared->users = 2;
    pthread_create(&a, 0, user, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
#if !defined UNLOCK && !defined FREED
    pthread_mutex_destroy(&shared->mutex);
#endif
    return 0;
}
