// A race that exactly one of the traces shows: the data is touched without a lock only by a reader
// that saw the first step and not the second, and the writer touches it after the second.
// Traces: the reader's two loads each before or after their store, all combinations possible (the
// load of `first` may come before everything, that of `second` after everything): 4. Only (first
// seen, second not) races.
//@ expect: bug
//@ kind: data-race
//@ args: -k
//@ executions: 4
#include <pthread.h>
#include <stdatomic.h>

static atomic_int first, second;
int data, seen;

static void *writer(void *unused) {
    atomic_store(&first, 1);
    atomic_store(&second, 1);
    data = 1; //~ race
    return unused;
}

static void *reader(void *unused) {
    int one = atomic_load(&first);
    int two = atomic_load(&second);
    if (one && !two) seen = data; //~ race
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
