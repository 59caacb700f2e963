// Plain accesses as events: store buffering on plain ints, races not judged. 3, as for atomics.
//@ expect: verified
//@ args: --plain=explore --races=off
//@ executions: 3
//@ outcomes: r1=0 r2=1 *1 | r1=1 r2=0 *1 | r1=1 r2=1 *1
//@ opt: O0
#include <dpor.h>
#include <pthread.h>

int x, y;

static void *left(void *out) {
    x = 1;
    return (void *)(long)y;
}

static void *right(void *out) {
    y = 1;
    return (void *)(long)x;
}

int main(void) {
    pthread_t a, b;
    void *r1, *r2;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, &r1);
    pthread_join(b, &r2);
    dpor_observe("r1", (long)r1);
    dpor_observe("r2", (long)r2);
    return 0;
}
