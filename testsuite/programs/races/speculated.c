// A variable that is read only if a flag says so. Compilers like to load such a variable first and look
// at the flag then, which is right on every machine and would be a race if it were judged: nobody
// wrote it. Flag seen or not: 2 executions.
//@ opt: O0 O1 O2 O3
//@ expect: verified
//@ executions: 2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int message;

static void *writer(void *unused) {
    message = 7;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    int seen = atomic_load_explicit(&flag, memory_order_acquire) ? message : 7;
    pthread_join(thread, 0);
    return seen == 7 ? 0 : 1;
}
