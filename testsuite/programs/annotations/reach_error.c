// reach_error, defined by the program as SV-COMP does or by us: reached in one of two traces.
//@ expect: bug
//@ kind: assertion
#include <pthread.h>
#include <stdatomic.h>

void reach_error(void);

static atomic_int x;

static void *writer(void *unused) {
    atomic_store(&x, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    if (atomic_load(&x)) reach_error();
    pthread_join(thread, 0);
    return 0;
}
