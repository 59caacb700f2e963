// Functions that the pass leaves alone, called by the runtime for the program: the destructor of a key,
// a handler of pthread_cleanup_push, a routine of pthread_once. Each reads its own variable, which two
// threads wrote, after both were joined. Either may have written last: 2 * 2 * 2 executions.
//@ expect: verified
//@ executions: 8
//@ args: --reductions=commute,observers
//@ outcomes: destroy=1 handle=1 initialize=1 *1 | destroy=1 handle=1 initialize=2 *1 | destroy=1 handle=2 initialize=1 *1 | destroy=1 handle=2 initialize=2 *1 | destroy=2 handle=1 initialize=1 *1 | destroy=2 handle=1 initialize=2 *1 | destroy=2 handle=2 initialize=1 *1 | destroy=2 handle=2 initialize=2 *1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define UNSEEN __attribute__((noinline, disable_sanitizer_instrumentation)) static

static atomic_int x, y, z;
static int destroyed, handled, initialized;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

UNSEEN void destroy(void *unused) {
    (void)unused;
    destroyed = *(volatile int *)&x;
}

UNSEEN void handle(void *unused) {
    (void)unused;
    handled = *(volatile int *)&y;
}

UNSEEN void initialize(void) { initialized = *(volatile int *)&z; }

static void *write_them(void *number) {
    atomic_store(&x, (int)(intptr_t)number);
    atomic_store(&y, (int)(intptr_t)number);
    atomic_store(&z, (int)(intptr_t)number);
    return 0;
}

static void *read_x(void *unused) {
    pthread_setspecific(key, &key);
    return unused;
}

static void *read_y(void *unused) {
    pthread_cleanup_push(handle, 0);
    pthread_exit(unused);
    pthread_cleanup_pop(0);
}

static void *read_z(void *unused) {
    pthread_once(&once, initialize);
    return unused;
}

int main(void) {
    pthread_t threads[2], reader;
    void *(*readers[])(void *) = {read_x, read_y, read_z};
    pthread_key_create(&key, destroy);
    for (intptr_t i = 0; i < 2; i++) pthread_create(&threads[i], 0, write_them, (void *)(i + 1));
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    for (int i = 0; i < 3; i++) {
        pthread_create(&reader, 0, readers[i], 0);
        pthread_join(reader, 0);
    }
    dpor_observe("destroy", destroyed);
    dpor_observe("handle", handled);
    dpor_observe("initialize", initialized);
    return 0;
}
