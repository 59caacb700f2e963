//! Programs with a bug each, through which gdb is led.

/// A lost update: both threads may read before one of them writes. The amounts tell the threads apart.
pub const LOST: &str = "
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int balance;
static void *deposit(void *amount) {
    int before = atomic_load(&balance);
    atomic_store(&balance, before + (int)(long)amount);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, deposit, (void *)10);
    pthread_create(&b, 0, deposit, (void *)20);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(atomic_load(&balance) == 30);
}
";

/// Two deposits without atomic operations: a race.
pub const RACE: &str = "
#include <pthread.h>
static int balance;
static void *deposit(void *amount) {
    balance += (int)(long)amount;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, deposit, (void *)10);
    pthread_create(&b, 0, deposit, (void *)20);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
";

/// Two mutexes in opposite orders.
pub const DEADLOCK: &str = "
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int first, second;
static void *forth(void *unused) {
    pthread_mutex_lock(&a);
    first = 1;
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}
static void *back(void *unused) {
    pthread_mutex_lock(&b);
    second = 1;
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}
int main(void) {
    pthread_t x, y;
    pthread_create(&x, 0, forth, 0);
    pthread_create(&y, 0, back, 0);
    pthread_join(x, 0);
    pthread_join(y, 0);
    return 0;
}
";

/// The second thread may read before the first has written.
pub const CRASH: &str = "
#include <pthread.h>
#include <stdatomic.h>
static int cell = 7;
static _Atomic(int *) place;
static void *publish(void *unused) {
    atomic_store(&place, &cell);
    return unused;
}
static int look(int *at) { return *at; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, publish, 0);
    int seen = look(atomic_load(&place));
    pthread_join(thread, 0);
    return seen - 7;
}
";

/// Two waits with limits that end in one execution: when the first has ended where nobody could go on, the second is told to
/// decide again, and then waits on.
pub const DECIDES_AGAIN: &str = "
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>
static sem_t ready, other;
static atomic_int gone, seen;
static struct timespec soon(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 10;
    return until;
}
static void *waits(void *unused) {
    struct timespec until = soon();
    atomic_store(&seen, sem_timedwait(&ready, &until) ? 2 : 1);
    return unused;
}
static void *limited(void *unused) {
    struct timespec until = soon();
    if (sem_timedwait(&other, &until)) atomic_store(&gone, 1);
    return unused;
}
int main(void) {
    pthread_t a, b;
    sem_init(&ready, 0, 0);
    sem_init(&other, 0, 0);
    pthread_create(&a, 0, waits, 0);
    pthread_create(&b, 0, limited, 0);
    pthread_join(b, 0);
    sem_post(&ready);
    pthread_join(a, 0);
    assert(!(atomic_load(&gone) && atomic_load(&seen) == 2));
    return 0;
}
";

/// Two mutexes in opposite orders, through templates of the library; `eat` is called by another function.
pub const PHILOSOPHERS: &str = "
#include <mutex>
#include <thread>
static std::mutex left, right;
static void eat(std::mutex &first, std::mutex &second) {
    std::lock_guard<std::mutex> one(first);
    std::lock_guard<std::mutex> other(second);
}
static void dine() { eat(right, left); }
int main() {
    std::thread guest(dine);
    eat(left, right);
    guest.join();
}
";
