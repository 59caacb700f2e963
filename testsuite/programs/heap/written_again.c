// A block is written, freed, and written again in the same place, with nothing between them that another thread
// could see: the second write is one of freed memory, though it repeats the first.
//
// There is one trace: the other thread does nothing.
//@ revisions: first all
//@ expect: bug
//@ kind: use-after-free
//@[all] args: -k
//@[all] executions: 1
#include <pthread.h>
#include <stdlib.h>

static void *nothing(void *unused) { return unused; }

// The compiler is not to know that it is the same block, nor that the first write is of no use.
__attribute__((noinline)) static void write(int *where, int value) {
    *where = value;
    __asm__ volatile("" ::: "memory");
}
static void *volatile kept;

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, nothing, 0);
    pthread_join(thread, 0);
    int *block = malloc(sizeof *block);
    kept = block;
    write(block, 1);
    free(block);
    write(block, 2);
    return 0;
}
