// Who drops a reference first looks whether it is the only one left, at the counts of owners and of weak pointers at once, as
// libstdc++'s shared_ptr does; with one thread it drops it without an atomic operation. Of N threads each may be the last, and
// find that by the look, or by the drop, if the others dropped theirs between: 2 N executions. Copies that each makes of its
// own, and drops, are never the last.
//@ revisions: two four copies
//@ expect: verified
//@ args: --reductions=commute,counters
//@ opt: O2
//@ workers: no
//@[two] cflags: -DN=2
//@[two] executions: 4
//@[four] cflags: -DN=4
//@[four] executions: 8
//@[copies] cflags: -DN=4 -DCOPIES=12
//@[copies] executions: 8
#include <pthread.h>
#include <stdlib.h>
#include <sys/single_threaded.h>

#ifndef COPIES
#define COPIES 0
#endif

struct object {
    _Alignas(8) int owners;
    int weak;
    int value;
};

static int drop_one(int *count) {
    if (__libc_single_threaded) {
        int found = *count;
        *count = found - 1;
        return found;
    }
    return __atomic_fetch_sub(count, 1, __ATOMIC_ACQ_REL);
}

static void drop(struct object *object) {
    if (__atomic_load_n((long long *)(void *)&object->owners, __ATOMIC_ACQUIRE) == 0x100000001) {
        object->owners = object->weak = 0;
        object->value = 1;
        free(object);
    } else if (drop_one(&object->owners) == 1) {
        object->value = 2;
        free(object);
    }
}

static void *hold(void *held) {
    struct object *object = held;
    for (int i = 0; i < COPIES; i++) {
        __atomic_fetch_add(&object->owners, 1, __ATOMIC_RELAXED);
        drop(object);
    }
    drop(object);
    return 0;
}

int main(void) {
    struct object *object = malloc(sizeof *object);
    object->owners = N;
    object->weak = 1;
    pthread_t threads[N];
    for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, hold, object);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    return 0;
}
