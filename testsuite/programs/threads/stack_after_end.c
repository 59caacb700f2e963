// The stack and the thread-local variables of a thread that has ended. The semaphores leave one order: 1
// execution. Variables end with their function, before the thread does; thread-local ones with the thread.
//
// unordered: nobody waits for the reader. after: read behind the join. waits: the thread waits for the reader.
// partly: it waits, and what is read behind its end is the other of two variables. twice: two threads, one
// after the other: what the second has on its stack is its own.
//@ revisions: unordered after waits partly twice tls_unordered tls_after tls_waits
//@ expect: bug
//@ args: -k
//@ opt: O0 O2
//@ executions: 1
//@[unordered] kind: use-after-return
//@[unordered] message: use of a local variable of lends, whose life may have ended
//@[after] cflags: -DAFTER
//@[after] kind: use-after-return
//@[after] message: use of a local variable of lends, whose life has ended
//@[waits] cflags: -DWAITS
//@[waits] expect: verified
//@[partly] cflags: -DWAITS -DAFTER
//@[partly] kind: use-after-return
//@[partly] message: use of a local variable of lends, whose life has ended
//@[twice] cflags: -DWAITS -DTWICE
//@[twice] expect: verified
//@[tls_unordered] cflags: -DTLS
//@[tls_unordered] kind: use-after-free
//@[tls_unordered] message: use of the thread-local storage of thread 1, which may have ended
//@[tls_after] cflags: -DTLS -DAFTER
//@[tls_after] kind: use-after-free
//@[tls_after] message: use of the thread-local storage of thread 1, which has ended
//@[tls_waits] cflags: -DTLS -DWAITS
//@[tls_waits] expect: verified
#include <pthread.h>
#include <semaphore.h>

int *shown, *other;
int sink;
static sem_t ready, done;
static _Thread_local int own;

static void *lends(void *unused) {
    int local = 1, second = 2;
#ifdef TLS
    shown = &own;
#else
    shown = &local;
#endif
    *shown = 3;
    other = &second;
    *other = 4;
    sem_post(&ready);
#ifdef WAITS
    sem_wait(&done);
#endif
    return unused;
}

static void *uses(void *unused) {
    sem_wait(&ready);
    sink = *shown;
    sem_post(&done);
    return unused;
}

static void once(void) {
    pthread_t lender, user;
    pthread_create(&lender, 0, lends, 0);
#if !defined AFTER || defined WAITS
    pthread_create(&user, 0, uses, 0);
    pthread_join(user, 0);
#endif
    pthread_join(lender, 0);
#if defined AFTER && defined WAITS
    sink = *other;
#elif defined AFTER
    sink = *shown;
#endif
}

int main(void) {
    sem_init(&ready, 0, 0);
    sem_init(&done, 0, 0);
    once();
#ifdef TWICE
    once();
#endif
    sem_destroy(&ready);
    sem_destroy(&done);
    return 0;
}
