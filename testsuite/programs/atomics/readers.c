// N readers and one writer of a cell: each read is before or after the write, independently: 2^N.
//@ revisions: n1 n3 n6 n10 n13
//@ expect: verified
//@[n1] executions: 2
//@[n3] executions: 8
//@[n6] executions: 64
//@[n10] executions: 1,024
//@[n13] executions: 8,192
//@[n1] cflags: -DN=1
//@[n3] cflags: -DN=3
//@[n6] cflags: -DN=6
//@[n10] cflags: -DN=10
//@[n13] cflags: -DN=13
//@[n13] checkpoint: snapshot // in fresh processes it would take a minute
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
int seen[N];

static void *reader(void *slot) {
    *(int *)slot = atomic_load(&x);
    return 0;
}

static void *writer(void *unused) {
    atomic_store(&x, 1);
    return unused;
}

int main(void) {
    pthread_t threads[N + 1];
    for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, reader, &seen[i]);
    pthread_create(&threads[N], 0, writer, 0);
    for (int i = 0; i <= N; i++) pthread_join(threads[i], 0);
    return 0;
}
