// Eight writers of one atomic, and main prints a number of its own: libc is given nothing that leads to
// the atomic, so nobody reads it and no order of the writes can be told from another.
//@ expect: verified
//@ executions: 1
//@ args: --reductions=commute,observers
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

atomic_int x; // not static: the compiler would leave out stores that nobody can read

static void *write_it(void *number) {
    char *block = malloc(10);
    strcpy(block, "own");
    free(block);
    atomic_store(&x, (int)(intptr_t)number);
    return 0;
}

int main(void) {
    pthread_t threads[8];
    for (intptr_t i = 0; i < 8; i++) pthread_create(&threads[i], 0, write_it, (void *)i);
    for (int i = 0; i < 8; i++) pthread_join(threads[i], 0);
    printf("%d threads of %s\n", 8, "one program");
    return 0;
}
