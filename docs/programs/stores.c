#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static int r1, r2;
static void *one(void *unused) {
    atomic_store(&x, 1);
    r1 = atomic_load(&y);
    return unused;
}
static void *other(void *unused) {
    atomic_store(&y, 1);
    r2 = atomic_load(&x);
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    dpor_observe("r1", r1);
    dpor_observe("r2", r2);
}
