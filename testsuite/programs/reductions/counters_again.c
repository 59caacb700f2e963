// Who drops the last of two counts makes two of them again, without an atomic operation, and tells the other thread;
// both drop a second time. Who is the last the first time, and the second time: 4 executions. What a drop finds is
// derived from the plain store, too.
//@ expect: verified
//@ executions: 4
//@ args: --reductions=counters
//@ opt: O0 O2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int references = 2, told;
static int last;

static void *drop(void *unused) {
    (void)unused;
    if (atomic_fetch_sub(&references, 1) == 1) {
        atomic_init(&references, 2);
        atomic_store(&told, 1);
    } else {
        while (!atomic_load(&told)) {
        }
    }
    if (atomic_fetch_sub(&references, 1) == 1) last++;
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, drop, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return last != 1;
}
