// So many threads besides the first alive at once, and one that stores: 2 executions by what is loaded. Seven have a real
// thread each from the beginning. With eight the search begins anew and knows that, whatever comes later: a block of the
// heap lies where it lay, also in another process that runs the schedule again (its address is stored).
//@ revisions: seven eight most fails dies
//@[seven] program-args: 6
//@[eight] program-args: 7
//@[most] program-args: 62
//@[fails] program-args: 7 fails
//@[dies] program-args: 20 dies
//@[seven] expect: verified
//@[eight] expect: verified
//@[most] expect: verified
//@[fails] expect: bug
//@[dies] expect: bug
//@[seven] executions: 2
//@[eight] executions: 2
//@[most] executions: 2
//@[fails] kind: assertion
//@[dies] kind: crash
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int cells[64];
static _Thread_local int own = 5;
static _Atomic(uintptr_t) word;

static void *work(void *cell) {
    own++;
    *(int *)cell = own;
    return cell;
}

static void *store(void *block) {
    atomic_store(&word, (uintptr_t)block);
    return block;
}

int main(int count, char **arguments) {
    static pthread_t threads[64];
    int all = atoi(arguments[1]);
    for (int i = 0; i < all; i++) pthread_create(&threads[i], 0, work, &cells[i]);
    int *block = malloc(sizeof *block);
    pthread_create(&threads[all], 0, store, block);
    int seen = atomic_load(&word) != 0;
    if (count > 2 && !strcmp(arguments[2], "dies") && seen) *(volatile int *)0 = 1;
    dpor_assert(!(count > 2 && seen));
    for (int i = 0; i <= all; i++) pthread_join(threads[i], 0);
    for (int i = 0; i < all; i++) dpor_assert(cells[i] == 6);
    free(block);
    return 0;
}
