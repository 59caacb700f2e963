// Eight threads write one atomic that nobody reads: no order of the writes can be told from another.
//@ expect: verified
//@ executions: 1
//@ args: --reductions=observers
//@ smoke: yes
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

atomic_int x; // not static: the compiler would leave out stores that nobody can read

static void *write_it(void *number) {
    atomic_store(&x, (int)(intptr_t)number);
    return 0;
}

int main(void) {
    pthread_t threads[8];
    for (intptr_t i = 0; i < 8; i++) pthread_create(&threads[i], 0, write_it, (void *)i);
    for (int i = 0; i < 8; i++) pthread_join(threads[i], 0);
    return 0;
}
