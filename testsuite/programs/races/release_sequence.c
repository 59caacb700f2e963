// A release sequence: a read-modify-write by another thread, even a relaxed one, continues it, so
// who acquires its value synchronizes with the release (C11 5.1.2.4p10). A relaxed store by another
// thread does not, although it writes the same value.
//@ revisions: continued broken
//@[continued] cflags: -DMIDDLE=atomic_fetch_add_explicit
//@[continued] expect: verified
//@[broken] cflags: -DMIDDLE=atomic_store_explicit
//@[broken] expect: bug
//@[broken] kind: data-race
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
int data, seen;

static void *writer(void *unused) {
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}

static void *middle(void *unused) {
    if (atomic_load_explicit(&flag, memory_order_relaxed) == 1)
        MIDDLE(&flag, 2, memory_order_relaxed);
    return unused;
}

static void *reader(void *unused) {
    if (atomic_load_explicit(&flag, memory_order_acquire) >= 2) seen = data;
    return unused;
}

int main(void) {
    void *(*const body[])(void *) = {writer, middle, reader};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, body[i], 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
