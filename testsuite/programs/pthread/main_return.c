// Main returns while a thread runs. The last step of the process waits for it, with a warning.
//@ expect: verified
//@ kind: main-exits-early
//@ executions: 1
#include <pthread.h>

int done;

static void *work(void *unused) {
    done = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    return pthread_create(&thread, 0, work, 0);
}
