// Main locks, the thread unlocks. POSIX: undefined for a normal mutex; reported.
//@ golden: yes
//@ expect: bug
//@ kind: unlock-not-owner
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
    pthread_mutex_unlock(&mutex); //~ unlock-not-owner
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
