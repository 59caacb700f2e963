// A loop without end whose state never repeats: a counter of 64 bits. Not provable, so incomplete.
//@ expect: incomplete
//@ reason: step limit
//@ args: --step-limit 0.5
//@ checkpoint: snapshot
#include <pthread.h>

static void *work(void *unused) {
    for (unsigned long i = 0;; i++) {
        __asm__ volatile("" : "+r"(i));
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
