// A process with several threads forks: the child would leave our control.
//@ expect: unsupported
//@ reason: fork
#include <pthread.h>
#include <unistd.h>

static void *work(void *unused) {
    if (fork() == 0) _exit(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
