// Calls with a time limit, beside a thread that ends the wait. By default each may give up although that thread would
// come; with none it does not.
// The call first tries. What it waits for is there at once: 1. It is not: the call gives up, 1, or waits and gets it, 1.
// sem: what comes is there before the try or after it: 3, of which it comes late in 1.
// (none: no try, 1. Of poll, epoll, signal and join, which look more than once, only the outcomes are told.)
// lock, read, write: the try comes before the other's section, in it or after it: 4, of which it comes late in 1.
// futex: it decides before it compares, so that it may also find the flag set: only the outcomes.
//@ revisions: sem semclock lock c11 read write join futex poll epoll signal none-sem none-lock
//@ expect: verified
//@ dfs: same-outcomes
//@[sem] cflags: -DCALL=sem_timedwait(&posted,&until) -DGIVE=sem_post(&posted)
//@[sem] executions: 3
//@[sem] outcomes: late=0 *2 | late=1 *1
//@[semclock] cflags: -DCALL=sem_clockwait(&posted,CLOCK_MONOTONIC,&until) -DGIVE=sem_post(&posted)
//@[semclock] executions: 3
//@[semclock] outcomes: late=0 *2 | late=1 *1
//@[lock] cflags: -DCALL=timed_lock() -DGIVE=hold()
//@[lock] executions: 4
//@[lock] outcomes: late=0 *3 | late=1 *1
//@[c11] cflags: -DCALL=timed_mtx() -DGIVE=hold_mtx()
//@[c11] executions: 4
//@[c11] outcomes: late=0 *3 | late=1 *1
//@[read] cflags: -DCALL=timed_read() -DGIVE=write_once()
//@[read] executions: 4
//@[read] outcomes: late=0 *3 | late=1 *1
//@[write] cflags: -DCALL=timed_write() -DGIVE=read_once()
//@[write] executions: 4
//@[write] outcomes: late=0 *3 | late=1 *1
//@[join] cflags: -DCALL=timed_join() -DGIVE=(void)0
//@[join] outcomes: late=0 | late=1
//@[futex] cflags: -DCALL=timed_futex() -DGIVE=wake_futex()
//@[futex] outcomes: late=0 | late=1
//@[poll] cflags: -DCALL=timed_poll() -DGIVE=put()
//@[poll] outcomes: late=0 | late=1
//@[epoll] cflags: -DCALL=timed_epoll() -DGIVE=put()
//@[epoll] outcomes: late=0 | late=1
//@[signal] cflags: -DCALL=timed_signal() -DGIVE=pthread_kill(first,SIGUSR1)
//@[signal] outcomes: late=0 | late=1
//@[none-sem] args: --timeouts=none
//@[none-sem] cflags: -DCALL=sem_timedwait(&posted,&until) -DGIVE=sem_post(&posted)
//@[none-sem] executions: 1
//@[none-sem] outcomes: late=0 *1
//@[none-lock] args: --timeouts=none
//@[none-lock] cflags: -DCALL=timed_lock() -DGIVE=hold()
//@[none-lock] executions: 2
//@[none-lock] outcomes: late=0 *2
#define _GNU_SOURCE
#include <dpor.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static sem_t posted;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static mtx_t timed_one;
static struct timespec until;
static const struct timespec second = {1, 0};
static pthread_t first, other;
static int ends[2], is_joined;
static atomic_int flag;

static void hold(void) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static int timed_lock(void) {
    int result = pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until);
    if (result == 0) pthread_mutex_unlock(&mutex);
    return result;
}

static void hold_mtx(void) {
    mtx_lock(&timed_one);
    mtx_unlock(&timed_one);
}

static int timed_mtx(void) {
    int result = mtx_timedlock(&timed_one, &until);
    if (result == thrd_success) mtx_unlock(&timed_one);
    return result != thrd_success;
}

static void write_once(void) {
    pthread_rwlock_wrlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
}

static int timed_read(void) {
    int result = pthread_rwlock_timedrdlock(&rwlock, &until);
    if (result == 0) pthread_rwlock_unlock(&rwlock);
    return result;
}

static void read_once(void) {
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
}

static int timed_write(void) {
    int result = pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &until);
    if (result == 0) pthread_rwlock_unlock(&rwlock);
    return result;
}

static int timed_join(void) {
    int result = pthread_timedjoin_np(other, NULL, &until);
    is_joined = result == 0;
    return result;
}

static int timed_futex(void) {
    while (!atomic_load(&flag)) {
        long result = syscall(SYS_futex, &flag, FUTEX_WAIT_PRIVATE, 0, &second);
        if (result != 0 && !atomic_load(&flag)) return 1;
    }
    return 0;
}

static void wake_futex(void) {
    atomic_store(&flag, 1);
    syscall(SYS_futex, &flag, FUTEX_WAKE_PRIVATE, 1);
}

static void put(void) {
    dpor_assert(write(ends[1], "x", 1) == 1);
}

static int timed_poll(void) {
    struct pollfd one = {.fd = ends[0], .events = POLLIN};
    return poll(&one, 1, 1000) == 0;
}

static int timed_epoll(void) {
    struct epoll_event event = {.events = EPOLLIN};
    int set = epoll_create1(0);
    epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event);
    return epoll_wait(set, &event, 1, 1000) == 0;
}

static int timed_signal(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    return sigtimedwait(&set, NULL, &second) < 0;
}

static void *give(void *unused) {
    GIVE;
    return unused;
}

int main(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    first = pthread_self();
    dpor_assert(pipe(ends) == 0);
    mtx_init(&timed_one, mtx_timed);
    sem_init(&posted, 0, 0);
    // Far from now on both clocks.
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1000;
    pthread_create(&other, NULL, give, NULL);
    dpor_observe("late", (CALL) != 0);
    if (!is_joined) pthread_join(other, NULL);
    sem_destroy(&posted);
    mtx_destroy(&timed_one);
    return 0;
}
