// A process has one number, in whichever process the checker runs an execution.
//@ expect: verified
// Nothing is shared.
//@ executions: 1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pid_t before, parent;

static void *work(void *unused) {
    assert(getpid() == before && getppid() == parent);
    return unused;
}

int main(void) {
    pthread_t thread;
    before = getpid();
    parent = getppid();
    assert(gettid() == before);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    assert(getpid() == before && gettid() == before && getppid() == parent);
    return 0;
}
