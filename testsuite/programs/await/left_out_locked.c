// As left_out.c, where the turns lock: a turn in vain of the waiter looks at `third`, which the last one does not. The third
// thread accesses `third` only if it reads 1 in `told`; in relaxed order that tells nothing of the turns before, so a look
// of one of them races with it. A turn in vain is explored as the last thing of its thread only, and then `told` is
// never 1: with accesses in relaxed order it comes twice before that.
//
// Plain: the turn reads `extra` plainly. The same with the classic search, with every interleaving, without reductions.
// Right: `told` is released and acquired, and nothing is relaxed. By hand: the setter before the waiter, and `told` is read
// before or after it is written, 2; the waiter before the setter, and it goes no further, 1 blocked.
//
// What else tells without an order, while all accesses in the turns are sequentially consistent: a try that fails (of a
// mutex, a spin lock, a read-write lock, a semaphore), a look at a semaphore's count, a signal to who waits with another
// mutex, a read-modify-write that only acquires or only releases, a compare-exchange that fails in relaxed order,
// a wait on a futex.
// Holds: a signal under the waiter's mutex orders, and what is written behind the wait is no race.
//@ revisions: wrong plain classic dfs none right try spin rwlock trywait value signal broadcast holds acquires releases fails futex
//@ opt: O0 O2
//@[wrong] expect: bug
//@[wrong] kind: data-race
//@[plain] expect: bug
//@[plain] kind: data-race
//@[plain] cflags: -DPLAIN
//@[plain] opt: O0
//@[classic] expect: bug
//@[classic] kind: data-race
//@[classic] args: --search=classic
//@[dfs] expect: bug
//@[dfs] kind: data-race
//@[dfs] args: --search=dfs
//@[none] expect: bug
//@[none] kind: data-race
//@[none] args: --reductions=none
//@[right] expect: verified
//@[right] executions: 2
//@[right] blocked: 1
//@[right] cflags: -DTELL=release -DHEAR=acquire -DLOOK=seq_cst
//@[right] opt: O0
//@[try] expect: bug
//@[try] kind: data-race
//@[try] cflags: -DTELLS=pthread_mutex_lock(&other);pthread_mutex_unlock(&other) -DHEARS=FAILS(pthread_mutex_trylock(&other),pthread_mutex_unlock(&other))
//@[spin] expect: bug
//@[spin] kind: data-race
//@[spin] opt: O0
//@[spin] cflags: -DTELLS=pthread_spin_lock(&spin);pthread_spin_unlock(&spin) -DHEARS=FAILS(pthread_spin_trylock(&spin),pthread_spin_unlock(&spin))
//@[rwlock] expect: bug
//@[rwlock] kind: data-race
//@[rwlock] opt: O2
//@[rwlock] cflags: -DTELLS=pthread_rwlock_wrlock(&rwlock);pthread_rwlock_unlock(&rwlock) -DHEARS=FAILS(pthread_rwlock_tryrdlock(&rwlock),pthread_rwlock_unlock(&rwlock))
//@[trywait] expect: bug
//@[trywait] kind: data-race
//@[trywait] opt: O0
//@[trywait] cflags: -DCOUNT=1 -DTELLS=sem_wait(&sem) -DHEARS=FAILS(sem_trywait(&sem),sem_post(&sem))
//@[value] expect: bug
//@[value] kind: data-race
//@[value] cflags: -DTELLS=sem_post(&sem) -DHEARS=count()
//@[signal] expect: bug
//@[signal] kind: data-race deadlock lost-wakeup
//@[signal] args: -k
//@[signal] cflags: -DTELLS=pthread_cond_signal(&cond) -DHEARS=waits()
//@[broadcast] expect: bug
//@[broadcast] kind: data-race deadlock lost-wakeup
//@[broadcast] args: -k
//@[broadcast] opt: O2
//@[broadcast] cflags: -DTELLS=pthread_mutex_lock(&mutex);pthread_cond_broadcast(&cond);pthread_mutex_unlock(&mutex) -DHEARS=waits()
//@[holds] expect: bug
//@[holds] kind: deadlock lost-wakeup
//@[holds] args: -k
//@[holds] opt: O0
//@[holds] cflags: -DTELLS=pthread_mutex_lock(&other);pthread_cond_signal(&cond);pthread_mutex_unlock(&other) -DHEARS=waits()
//@[acquires] expect: bug
//@[acquires] kind: data-race
//@[acquires] cflags: -DTELLS=atomic_fetch_add_explicit(&told,1,memory_order_acquire) -DHEARS=atomic_load(&told)
//@[releases] expect: bug
//@[releases] kind: data-race
//@[releases] cflags: -DTELLS=atomic_store(&told,1) -DHEARS=atomic_fetch_or_explicit(&told,4,memory_order_release)
//@[fails] expect: bug
//@[fails] kind: data-race
//@[fails] cflags: -DTELLS=atomic_store(&told,1) -DHEARS=exchange()
//@[futex] expect: bug
//@[futex] kind: data-race
//@[futex] cflags: -DTELLS=atomic_store(&told,1);syscall(SYS_futex,&told,FUTEX_WAKE,1) -DHEARS=sleeps()
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef COUNT
#define COUNT 0
#endif

#ifdef TELLS
#define LOOK seq_cst
#elif !defined TELL
#define TELL relaxed
#define HEAR relaxed
#define LOOK relaxed
#endif
#ifndef TELLS
#define TELLS atomic_store_explicit(&told, 1, ORDER(TELL))
#define HEARS atomic_load_explicit(&told, ORDER(HEAR)) == 1
#endif
#define ORDER_(word) memory_order_##word
#define ORDER(word) ORDER_(word)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int flag, extra;
static _Atomic int third, told;

static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t sem;

// True if what is tried fails; what is got is given back.
#define FAILS(tries, gives_back) ((tries) || ((gives_back), 0))

static inline int count(void) {
    int value;
    sem_getvalue(&sem, &value);
    return value;
}

static inline int waits(void) {
    pthread_mutex_lock(&other);
    pthread_cond_wait(&cond, &other);
    pthread_mutex_unlock(&other);
    return 1;
}

static inline int sleeps(void) {
    syscall(SYS_futex, &told, FUTEX_WAIT, 0, NULL);
    return 1;
}

static inline int exchange(void) {
    int expected = 5;
    atomic_compare_exchange_strong_explicit(&told, &expected, 6, memory_order_acq_rel, memory_order_relaxed);
    return expected;
}

static void *waiter(void *unused) {
    for (;;) {
        pthread_mutex_lock(&mutex);
        int found = flag;
        pthread_mutex_unlock(&mutex);
        if (found) break;
#ifdef PLAIN
        int read = extra;
        (void)read;
#else
        (void)atomic_load_explicit(&third, ORDER(LOOK));
#endif
    }
    TELLS;
    return unused;
}

static void *setter(void *unused) {
    pthread_mutex_lock(&mutex);
    flag = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *third_thread(void *unused) {
    if (HEARS)
#ifdef PLAIN
        extra = 1;
#else
        *(int *)&third = 1;
#endif
    return unused;
}

int main(void) {
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    sem_init(&sem, 0, COUNT);
    pthread_t threads[3];
    pthread_create(&threads[0], 0, waiter, 0);
    pthread_create(&threads[1], 0, setter, 0);
    pthread_create(&threads[2], 0, third_thread, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    pthread_spin_destroy(&spin);
    sem_destroy(&sem);
    return 0;
}
