// Each announces itself and goes in only if the other has not. seq_cst: never both, clean.
//@ expect: verified
//@ executions: 3 // the traces of store buffering
#include <pthread.h>
#include <stdatomic.h>

static atomic_int left_in, right_in;
int inside;

static void *left(void *unused) {
    atomic_store(&left_in, 1);
    if (!atomic_load(&right_in)) inside++;
    return unused;
}

static void *right(void *unused) {
    atomic_store(&right_in, 1);
    if (!atomic_load(&left_in)) inside++;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
