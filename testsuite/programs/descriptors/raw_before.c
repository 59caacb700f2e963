// A pipe that was made by number before the second thread is not known to be the program's own.
//@ expect: unsupported
//@ reason: reading from a pipe
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *unused) {
    write(ends[1], "x", 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    char byte;
    syscall(SYS_pipe2, ends, 0);
    pthread_create(&thread, 0, writer, 0);
    read(ends[0], &byte, 1);
    pthread_join(thread, 0);
    return 0;
}
