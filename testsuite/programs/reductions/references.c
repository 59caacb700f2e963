// The creator has a reference, takes one for each thread that it creates, while those before run, and drops its own. That a
// count is taken does not matter to who drops one and is not the last; what can differ is who is: N + 1 executions.
//@ revisions: two four
//@ expect: verified
//@ args: --reductions=commute,counters
//@ opt: O0 O2
//@[two] cflags: -DN=2
//@[two] executions: 3
//@[four] cflags: -DN=4
//@[four] executions: 5
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
    int value;
};

static void take(struct object *object) {
    atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed);
}

static void drop(struct object *object) {
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1) free(object);
}

static void *hold(void *object) {
    drop(object);
    return 0;
}

int main(void) {
    struct object *object = malloc(sizeof *object);
    atomic_init(&object->references, 1);
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        take(object);
        pthread_create(&threads[i], 0, hold, object);
    }
    drop(object);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    return 0;
}
