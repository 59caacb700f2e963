// A loop that looks at two places goes round for ever if it is not there when b is 3, although it was 2 before.
// Thread 0 stores 2, then 3; the looks at b of thread 1 may all come after both.
//@ expect: bug
//@ kind: livelock
//@ golden: yes
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
atomic_int a, b;

static void *work(void *u) {
    while (atomic_load(&a) && atomic_load(&b) != 2) {
    }
    return u;
}

int main(void) {
    pthread_t t;
    atomic_store(&a, 1);
    atomic_store(&b, 1);
    pthread_create(&t, NULL, work, NULL);
    atomic_store(&b, 2);
    atomic_store(&b, 3);
    pthread_join(t, NULL);
}
