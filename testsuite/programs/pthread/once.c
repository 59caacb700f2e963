// Two threads call pthread_once: exactly one runs the function, and both see what it wrote.
//@ expect: verified
//@ outcomes: runs=1
#include <dpor.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
int runs, prepared;

static void prepare(void) {
    runs++;
    prepared = 42;
}

static void *work(void *unused) {
    pthread_once(&once, prepare);
    dpor_assert(prepared == 42);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    dpor_observe("runs", runs);
    return 0;
}
