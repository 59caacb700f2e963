// A load that comes before, between or after twelve stores, and whatever it sees kills the process: in
// each of 13 traces at least it dies anew. That is given up after ten deaths and one more.
//@ expect: bug
//@ kind: process-death
//@ reason: given up after 11 deaths
//@ args: -k
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

// Where the checker's heap begins.
static char *const heap = (char *)0x80000000000;
static atomic_int cell;

static void *store(void *unused) {
    for (int k = 1; k <= 12; k++) {
        atomic_store(&cell, k);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, store, 0);
    atomic_load(&cell);
    memset(heap, 0x41, 400); //~ process-death
    pthread_join(thread, 0);
    return 0;
}
