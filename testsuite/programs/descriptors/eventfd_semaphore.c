// EFD_SEMAPHORE: two tokens, and three threads that take one each: the last waits for ever. Who
// that is, and in which order the others come: 3 * 2 executions, all stuck.
//@ expect: bug
//@ kind: deadlock
//@ executions: 0
//@ deadlocked: 6
//@ args: -k
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int tokens;

static void *take(void *unused) {
    uint64_t got;
    read(tokens, &got, 8); //~ deadlock
    return got == 1 ? unused : (void *)1;
}

int main(void) {
    pthread_t all[3];
    tokens = eventfd(2, EFD_SEMAPHORE);
    for (int k = 0; k < 3; k++) pthread_create(&all[k], 0, take, 0);
    for (int k = 0; k < 3; k++) pthread_join(all[k], 0);
    return 0;
}
