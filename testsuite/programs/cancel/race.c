// A request says nothing about what the thread did before: main's access races with it.
//@ expect: bug
//@ kind: data-race
#include <pthread.h>

int shared;

static void *work(void *unused) {
    shared = 1; //~ race
    pthread_testcancel();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    shared = 2; //~ race
    pthread_join(thread, 0);
    return 0;
}
