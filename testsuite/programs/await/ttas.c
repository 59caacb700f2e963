// Test, then test-and-set; the loop around both looks at the word in two ways and is left as it is.
// Let thread 1 be the first to exchange. Thread 2 looked before that, and then exchanges while the word is
// taken, in vain, or after it was given back; or it looked after that: 3. Either thread may be first: 6.
// [turns] The turn whose exchange was in vain (it finds 1 and writes 1) is the last of its thread: 4, and 2 blocked.
// Counted by brute force, too: testsuite/tests/suite/turns.rs.
//@ expect: verified
//@ opt: O0 O2
//@ revisions: waits turns
//@[waits] args: --reductions=none,every-turn
//@[waits] executions: 6
//@[turns] executions: 4
//@[turns] blocked: 2
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int word;
static int shared;

static void *work(void *unused) {
    for (;;) {
        while (atomic_load(&word)) {
            __builtin_ia32_pause();
        }
        if (!atomic_exchange(&word, 1)) break;
    }
    shared++;
    atomic_store(&word, 0);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return shared == 2 ? 0 : 1;
}
