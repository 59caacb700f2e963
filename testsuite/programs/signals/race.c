// A handler runs on its thread: what it writes races with what main writes after sending. What main
// wrote before it sent does not.
//@ expect: bug
//@ kind: data-race
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

atomic_int unrelated;
int before, after;

static void handler(int signal) {
    (void)signal;
    before++;
    after = 1; //~ race
}

static void *work(void *unused) {
    atomic_store_explicit(&unrelated, 1, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t thread;
    signal(SIGUSR1, handler);
    pthread_create(&thread, 0, work, 0);
    before = 1;
    pthread_kill(thread, SIGUSR1);
    after = 2; //~ race
    pthread_join(thread, 0);
    return 0;
}
