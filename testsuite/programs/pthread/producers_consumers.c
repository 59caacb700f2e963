// N producers and N consumers of one item each, a buffer of N places, one mutex, two condition
// variables, `while` around every wait. Everything happens under the mutex, so a trace is an order
// of sections (a wait ends one, and waking begins another) and, at every signal that finds waiters,
// one of them. tests/suite/derivations.rs counts these orders from the number of threads in each
// condition. N = 1: 2. N = 2: 60. N = 3: 9,432. N = 4: 5,001,984.
// Source: the bounded buffer of the Distributed DPOR paper.
//@ revisions: n1 n2 n3 n4
//@[n1] expect: verified
//@[n2] expect: verified
//@[n3] expect: verified
//@[n1] executions: 2
//@[n2] executions: 60
//@[n3] executions: 9,432
//@[n4] expect: incomplete
//@[n4] args: --max-executions=20000 // all: `cargo xtask bench --full`
//@[n4] reason: max-executions
//@[n1] cflags: -DN=1
//@[n2] cflags: -DN=2
//@[n3] cflags: -DN=3
//@[n4] cflags: -DN=4
//@[n3] checkpoint: snapshot // in fresh processes it would take a minute
//@[n4] checkpoint: snapshot
#include <dpor.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int place[N], held;

static void *produce(void *unused) {
    pthread_mutex_lock(&mutex);
    while (held == N) pthread_cond_wait(&not_full, &mutex);
    place[held++] = 1;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *consume(void *unused) {
    pthread_mutex_lock(&mutex);
    while (held == 0) pthread_cond_wait(&not_empty, &mutex);
    dpor_assert(place[--held] == 1);
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t threads[2 * N];
    for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, produce, 0);
    for (int i = N; i < 2 * N; i++) pthread_create(&threads[i], 0, consume, 0);
    for (int i = 0; i < 2 * N; i++) pthread_join(threads[i], 0);
    dpor_assert(held == 0);
    return 0;
}
