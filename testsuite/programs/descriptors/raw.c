// Without libc's functions: system calls by number, each an event that conflicts with everything and
// then one on the pipe. The byte arrives in every order.
//@ expect: verified
#include <dpor.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ends[2];

static void *idle(void *unused) { return unused; }

static void *writer(void *unused) {
    dpor_assert(syscall(SYS_write, ends[1], "x", 1) == 1);
    syscall(SYS_close, ends[1]);
    return unused;
}

int main(void) {
    pthread_t thread;
    char byte = 0;
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);
    syscall(SYS_pipe2, ends, 0);
    pthread_create(&thread, 0, writer, 0);
    dpor_assert(syscall(SYS_read, ends[0], &byte, 1) == 1 && byte == 'x');
    pthread_join(thread, 0);
    return 0;
}
