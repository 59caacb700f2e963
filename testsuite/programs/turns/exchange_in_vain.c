// Test, then test-and-set. The inner loop waits by itself; a turn of the outer one whose exchange finds 1 and writes 1 is
// in vain. By hand, let thread 1 be the first to exchange. Thread 2 looks before that, and exchanges after the word was
// given back, or looks after that: 2. Or it looks before that and exchanges while the word is taken: 1, blocked. Either
// thread may be first. Without `turns` the last is an execution that goes on: 6 (await/ttas.c).
//@ expect: verified
//@ args: --reductions=turns
//@ opt: O0 O2
//@ executions: 4
//@ blocked: 2
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
