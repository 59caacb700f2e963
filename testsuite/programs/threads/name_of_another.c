// Main reads a thread's name while the thread changes it: before or after, 2.
//@ expect: verified
//@ executions: 2
//@ outcomes: named=0 *1 | named=1 *1
#define _GNU_SOURCE
#include <dpor.h>
#include <pthread.h>
#include <string.h>

static void *work(void *unused) {
    pthread_setname_np(pthread_self(), "child");
    return unused;
}

int main(void) {
    pthread_t thread;
    char name[16];
    pthread_create(&thread, 0, work, 0);
    pthread_getname_np(thread, name, sizeof name);
    dpor_observe("named", strcmp(name, "child") == 0);
    pthread_join(thread, 0);
    return 0;
}
