// A created thread, not main, writes through a null pointer.
//@ golden: yes
//@ expect: bug
//@ kind: crash
#include <pthread.h>

int *volatile nowhere;

static void *work(void *unused) {
    *nowhere = 1; //~ crash
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
