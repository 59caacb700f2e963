// Without --strict zeros are a mutex: nothing is said of what misuse/strict.c is warned of. Both threads lock it
// once, in 2 orders.
//@ expect: verified
//@ executions: 2
//@ opt: O0 O2
#include <pthread.h>

static pthread_mutex_t zeros;
static int shared;

static void *work(void *unused) {
    pthread_mutex_lock(&zeros);
    shared++;
    pthread_mutex_unlock(&zeros);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    return 0;
}
