// What threads with high numbers do with each other, beside 70 others that do nothing. All are created before any of
// them is joined, so that thread `n` has the number `n`. Numbers to 63 and numbers from 64 are kept in different words.
//
// lock2, lock3: who has the lock first: 2! and 3!.
// race: nothing orders threads 1 and 65.
// deadlock: 65 has both locks first, or 70, or each has one.
// broadcast: the order in which the three have the mutex. The one that says so first: 2 orders of the others, who need
//   not wait. Or it comes after one has gone to wait: which one (2), and then that one's second lock and the other's
//   first (2). Or after both have: their order (2), and that in which they go on (2). 2 + 4 + 4.
// barrier: all write before anybody reads. 1.
// serial: one of three is told that it is the serial thread, and all look.
// rwlock: the writer is before or after each of two readers: 2^2.
// semaphore: a token for two threads, each of which gives it back: 2.
// result: two additions whose results are looked at: 2.
// commute: three whose results nobody looks at: 1.
// tls, cleanup: what runs at the end of 66 does so before 66 is joined. 1.
// again: 65 is joined, and its number given to another thread, which comes after it and races with 1 only.
//@ revisions: lock2 lock3 race deadlock broadcast barrier serial rwlock semaphore result commute tls again cleanup
//@ expect: verified
//@[barrier] args: --reductions=commute,observers
//@[serial] args: --reductions=commute,observers
//@[rwlock] args: --reductions=commute,observers
//@[commute] args: --reductions=commute,observers
//@[lock2] cflags: -DCASE=case_lock
//@[lock2] executions: 2
//@[lock3] cflags: -DCASE=case_lock3
//@[lock3] executions: 6
//@[race] cflags: -DCASE=case_race
//@[race] expect: bug
//@[race] kind: data-race
//@[deadlock] cflags: -DCASE=case_deadlock
//@[deadlock] args: --keep-going
//@[deadlock] expect: bug
//@[deadlock] kind: deadlock
//@[deadlock] executions: 2
//@[deadlock] deadlocked: 1
//@[broadcast] cflags: -DCASE=case_broadcast
//@[broadcast] executions: 10
//@[barrier] cflags: -DCASE=case_barrier
//@[barrier] executions: 1
//@[serial] cflags: -DCASE=case_serial
//@[serial] executions: 3
//@[serial] outcomes: serial=64 | serial=66 | serial=70
//@[rwlock] cflags: -DCASE=case_rwlock
//@[rwlock] executions: 4
//@[semaphore] cflags: -DCASE=case_semaphore
//@[semaphore] executions: 2
//@[result] cflags: -DCASE=case_result
//@[result] executions: 2
//@[result] outcomes: first=65 | first=70
//@[commute] cflags: -DCASE=case_commute
//@[commute] executions: 1
//@[tls] cflags: -DCASE=case_tls
//@[tls] executions: 1
//@[again] cflags: -DCASE=case_again
//@[again] expect: bug
//@[again] kind: data-race
//@[cleanup] cflags: -DCASE=case_cleanup
//@[cleanup] executions: 1
#include <dpor.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>

enum { THREADS = 70 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_key_t key;
static sem_t token;
static atomic_int tickets;
static int x, go, first, serial, cells[THREADS + 1];

static void locked(void) {
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
}

static void case_lock(long n) {
    if (n == 64 || n == 70) locked();
}

static void case_lock3(long n) {
    if (n == 63 || n == 64 || n == 70) locked();
}

static void case_race(long n) {
    if (n == 1 || n == 65) cells[0]++; //~[race] race
}

static void both(pthread_mutex_t *one, pthread_mutex_t *other) {
    pthread_mutex_lock(one);
    pthread_mutex_lock(other);
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(one);
}

static void case_deadlock(long n) {
    if (n == 65) both(&m, &m2);
    if (n == 70) both(&m2, &m);
}

static void case_broadcast(long n) {
    if (n != 63 && n != 64 && n != 70) return;
    pthread_mutex_lock(&m);
    if (n == 70) {
        go = 1;
        pthread_cond_broadcast(&c);
    }
    while (!go) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
}

static void case_barrier(long n) {
    if (n < 62 || n > 64) return;
    cells[n] = 1;
    pthread_barrier_wait(&barrier);
    dpor_assert(cells[62] + cells[63] + cells[64] == 3);
}

static void case_serial(long n) {
    if (n != 64 && n != 66 && n != 70) return;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) serial = (int)n;
}

static void case_rwlock(long n) {
    if (n == 64 || n == 70) {
        pthread_rwlock_rdlock(&rw);
        cells[n] = x;
        pthread_rwlock_unlock(&rw);
    }
    if (n == 66) {
        pthread_rwlock_wrlock(&rw);
        x = 1;
        pthread_rwlock_unlock(&rw);
    }
}

static void case_semaphore(long n) {
    if (n != 64 && n != 70) return;
    sem_wait(&token);
    x++;
    sem_post(&token);
}

static void case_result(long n) {
    if ((n == 65 || n == 70) && atomic_fetch_add(&tickets, 1) == 0) first = (int)n;
}

static void case_commute(long n) {
    if (n == 62 || n == 65 || n == 70) atomic_fetch_add(&tickets, 1);
}

static void ends(void *value) {
    cells[(intptr_t)value] = 1;
}

static void case_tls(long n) {
    if (n == 66) pthread_setspecific(key, (void *)(intptr_t)n);
}

static void case_again(long n) {
    if (n == 1) cells[0]++; //~[again] race
}

static void case_cleanup(long n) {
    if (n != 66) return;
    pthread_cleanup_push(ends, (void *)(intptr_t)n);
    pthread_exit(0);
    pthread_cleanup_pop(0);
}

static void *work(void *number) {
    CASE((intptr_t)number);
    return 0;
}

// Another thread with the number of one that was joined.
static void *another(void *number) {
    if ((intptr_t)number == 65) cells[0]++; //~[again] race
    return 0;
}

int main(void) {
    static pthread_t threads[THREADS + 1];
    int again = CASE == case_again;
    pthread_barrier_init(&barrier, 0, 3);
    sem_init(&token, 0, 1);
    pthread_key_create(&key, ends);
    for (intptr_t n = 1; n <= THREADS; n++) pthread_create(&threads[n], 0, work, (void *)n);
    if (again) {
        pthread_join(threads[65], 0);
        pthread_create(&threads[65], 0, another, (void *)(intptr_t)65);
    }
    for (int n = 1; n <= THREADS; n++) pthread_join(threads[n], 0);
    if (CASE == case_serial) dpor_observe("serial", serial);
    if (CASE == case_result) dpor_observe("first", first);
    dpor_assert(x <= 3 && cells[0] <= 2);
    if (CASE == case_tls || CASE == case_cleanup) dpor_assert(cells[66] == 1);
    pthread_key_delete(key);
    sem_destroy(&token);
    pthread_barrier_destroy(&barrier);
    return 0;
}
