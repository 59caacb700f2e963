// A wait on a futex that is not modelled would stop every fiber: never a hang, always said.
//@ expect: unsupported
//@ reason: futex (operation 6)
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word;

static void *work(void *unused) {
    syscall(SYS_futex, &word, FUTEX_LOCK_PI, 0, 0, &word, 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
