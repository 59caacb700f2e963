#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int visits;

static void *visit(void *unused) {
    int seen = visits;
    visits = seen + 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, visit, 0);
    visit(0);
    pthread_join(thread, 0);
    dpor_observe("visits", visits);
}
