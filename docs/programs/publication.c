#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
int data;
atomic_int ready;
pthread_t thread;
static void *publish(void *unused) {
    data = 42;
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return unused;
}
int main(void) {
    pthread_create(&thread, 0, publish, 0);
    int before = data;
    int seen = -1;
    if (atomic_load_explicit(&ready, memory_order_relaxed))
        seen = data;
    pthread_join(thread, 0);
    dpor_observe("before", before);
    dpor_observe("seen", seen);
}
