// A turn that begins with a store of what is there already. Behind a turn in vain the thread goes no further.
// [every_turn] It goes on, and it is the store that waits. Between where the turn begins and its first look the other thread may come, whose looks are none of the loop's.
// Counted by brute force: testsuite/tests/suite/waiting.rs.
//@ expect: verified
//@ revisions: left every_turn
//@[left] executions: 5
//@[left] blocked: 3
//@[left] args: --reductions=none
//@[every_turn] executions: 8
//@[every_turn] args: --reductions=none,every-turn
//@ opt: O0 O2
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

atomic_int x, y, z, w;

static void *again(void *unused) {
    do {
        atomic_store(&x, 1);
    } while (!atomic_load(&y) && !atomic_load(&w));
    return unused;
}

static void *once(void *unused) {
    if (!atomic_load(&z) && atomic_load(&x) < 2 && !atomic_load(&z)) atomic_store(&y, 1);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, again, NULL);
    pthread_create(&b, NULL, once, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
