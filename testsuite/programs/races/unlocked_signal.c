// A signal orders nothing: who waits may wake by itself, before it. What orders the data is the mutex, and a test under it.
//
// Broadcast, signal, c11: the data is written without the mutex. One execution has the signal before the wait, and the
// waiter sleeps for ever; in the other the waiter reads what was written with nothing but the signal in between. By
// itself: the same with waits that end by themselves, where the read may come before the write. Mutex: the
// data is written under the mutex, and the waiter reads it under the mutex: no race, although it may come too early.
// Test: as it should be; the setter's section is before the waiter's, or in its wait: two executions, and none sleeps.
// Atomic: the flag that is tested publishes the data, and the setter takes the mutex for a moment, so that no signal is lost.
// With f the store, s the setter's section and the signal, e the waiter's first look: s comes behind the waiter's section or
// in its wait, or before it (then the waiter sees f). s behind the section: the look came after f. Looks before f: s in the
// wait. So three executions: s before the section; f, section, s; and look, f, s in the wait. In the second one
// the signal comes when nobody waits.
//@ revisions: broadcast signal c11 itself mutex test atomic
//@[broadcast] expect: bug
//@[broadcast] kind: data-race deadlock lost-wakeup
//@[broadcast] args: -k
//@[broadcast] executions: 1
//@[broadcast] deadlocked: 1
//@[broadcast] cflags: -DWAKE=pthread_cond_broadcast
//@[signal] expect: bug
//@[signal] kind: data-race deadlock lost-wakeup
//@[signal] args: -k
//@[signal] executions: 1
//@[signal] deadlocked: 1
//@[signal] cflags: -DWAKE=pthread_cond_signal
//@[c11] expect: bug
//@[c11] kind: data-race deadlock lost-wakeup
//@[c11] args: -k
//@[c11] cflags: -DC11
//@[itself] expect: bug
//@[itself] kind: data-race deadlock lost-wakeup
//@[itself] args: -k --spurious=1
//@[itself] cflags: -DWAKE=pthread_cond_broadcast
//@[mutex] expect: bug
//@[mutex] kind: deadlock lost-wakeup
//@[mutex] args: -k
//@[mutex] executions: 1
//@[mutex] deadlocked: 1
//@[mutex] cflags: -DWAKE=pthread_cond_broadcast -DMUTEX
//@[test] expect: verified
//@[test] executions: 2
//@[test] cflags: -DWAKE=pthread_cond_broadcast -DMUTEX -DTEST
//@[atomic] expect: verified
//@[atomic] executions: 3
//@[atomic] cflags: -DATOMIC
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <threads.h>

int data, seen, is_set;

#ifdef C11
static mtx_t mutex;
static cnd_t condition;

static int waiter(void *unused) {
    mtx_lock(&mutex);
    cnd_wait(&condition, &mutex);
    seen = data;
    mtx_unlock(&mutex);
    return unused != NULL;
}

static int setter(void *unused) {
    data = 1;
    cnd_broadcast(&condition);
    return unused != NULL;
}

int main(void) {
    thrd_t a, b;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&condition);
    thrd_create(&a, waiter, NULL);
    thrd_create(&b, setter, NULL);
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    cnd_destroy(&condition);
    mtx_destroy(&mutex);
    return 0;
}
#else
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static atomic_int flag;

static void *waiter(void *unused) {
    pthread_mutex_lock(&mutex);
#if defined ATOMIC
    while (!atomic_load(&flag)) pthread_cond_wait(&condition, &mutex);
#elif defined TEST
    while (!is_set) pthread_cond_wait(&condition, &mutex);
#else
    pthread_cond_wait(&condition, &mutex);
#endif
    seen = data;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *setter(void *unused) {
#ifdef ATOMIC
    data = 1;
    atomic_store(&flag, 1);
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
#else
#ifdef MUTEX
    pthread_mutex_lock(&mutex);
#endif
    data = is_set = 1;
    WAKE(&condition);
#ifdef MUTEX
    pthread_mutex_unlock(&mutex);
#endif
#endif
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, setter, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
#endif
