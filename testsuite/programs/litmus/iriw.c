// Independent reads of independent writes: two writers, two readers that read in opposite order.
// Each of the four reads comes before or after its write: 2^4 = 16; the one in which the readers
// see the writes in opposite orders (1 0 and 1 0) is a cycle. 15 remain.
//@ expect: verified
//@ executions: 15
//@ outcomes-distinct: 15
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
int seen[4];

static void *write_x(void *unused) {
    atomic_store(&x, 1);
    return unused;
}

static void *write_y(void *unused) {
    atomic_store(&y, 1);
    return unused;
}

static void *read_xy(void *unused) {
    seen[0] = atomic_load(&x);
    seen[1] = atomic_load(&y);
    return unused;
}

static void *read_yx(void *unused) {
    seen[2] = atomic_load(&y);
    seen[3] = atomic_load(&x);
    return unused;
}

int main(void) {
    void *(*const body[])(void *) = {write_x, write_y, read_xy, read_yx};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, body[i], 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    dpor_observe("x first", seen[0]);
    dpor_observe("then y", seen[1]);
    dpor_observe("y first", seen[2]);
    dpor_observe("then x", seen[3]);
    return 0;
}
