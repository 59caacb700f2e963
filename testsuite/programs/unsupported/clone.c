// A thread made behind our back.
//@ expect: unsupported
//@ reason: clone
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>

static char stack[16384];

static int run(void *unused) {
    return unused != 0;
}

static void *work(void *unused) {
    clone(run, stack + sizeof stack, CLONE_VM | CLONE_FS | CLONE_FILES, 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
