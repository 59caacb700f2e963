// The reader only goes on if it saw the write. Write first: complete; read first: it stands still
// for ever, which is blocked and no deadlock.
//@ expect: verified
//@ executions: 1
//@ blocked: 1
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *writer(void *unused) {
    atomic_store(&x, 1);
    return unused;
}

static void *reader(void *unused) {
    dpor_assume(atomic_load(&x) == 1);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
