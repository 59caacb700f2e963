// N writers and one reader of an atomic. Writes do not commute, and the read commutes with none of
// them: all orders of N + 1 events, (N + 1)!.
//@ revisions: n3 n8
//@ expect: verified
//@[n3] executions: 24
//@[n8] executions: 362,880
//@[n3] cflags: -DN=3
//@[n8] cflags: -DN=8
//@[n8] checkpoint: snapshot // in fresh processes it would take minutes
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int x;
int seen;

static void *write_number(void *number) {
    atomic_store(&x, (int)(intptr_t)number);
    return 0;
}

static void *read_it(void *unused) {
    seen = atomic_load(&x);
    return unused;
}

int main(void) {
    pthread_t threads[N + 1];
    for (intptr_t i = 0; i < N; i++) pthread_create(&threads[i], 0, write_number, (void *)(i + 1));
    pthread_create(&threads[N], 0, read_it, 0);
    for (int i = 0; i <= N; i++) pthread_join(threads[i], 0);
    return seen < 0 || seen > N;
}
