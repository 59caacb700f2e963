// How a report of this kind looks: one thread frees what the other then reads; the flag orders them.
//@ expect: bug
//@ kind: use-after-free
//@ golden: yes

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int freed;
static int *block;
int sink;

static void *first(void *unused) {
    free(block);
    atomic_store(&freed, 1);
    return unused;
}

static void *second(void *unused) {
    if (atomic_load(&freed)) sink = *block; //~ use-after-free
    return unused;
}

int main(void) {
    pthread_t a, b;
    block = malloc(sizeof(int));
    *block = 1;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
