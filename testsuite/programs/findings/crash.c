// How a report of this kind looks: a pointer is used before it is set.
//@ expect: bug
//@ kind: crash
//@ golden: yes

#include <pthread.h>
#include <stdatomic.h>

static _Atomic(int *) place;
static int value;

static void *first(void *unused) {
    atomic_store(&place, &value);
    return unused;
}

static void *second(void *unused) {
    *atomic_load(&place) = 1; //~ crash
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
