// A thread has a file of the disk open for reading when another opens it for writing and writes its first
// byte ('o', 111) anew ('n', 110). The first reads that byte twice: it may change before, between and after.
// "stream": through a FILE without a buffer.
//@ expect: verified
//@ revisions: descriptor stream
//@[stream] cflags: -DSTREAM
//@ outcomes: a=111 b=111 | a=111 b=110 | a=110 b=110
//@ dfs: same-outcomes
#include <dpor.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static const char *name = "programs/files/on_disk.txt";

static void *change(void *unused) {
    int fd = open(name, O_RDWR);
    dpor_assert(pwrite(fd, "n", 1, 0) == 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    char a = 0, b = 0;
#ifdef STREAM
    FILE *file = fopen(name, "r");
    setvbuf(file, 0, _IONBF, 0);
#else
    int fd = open(name, O_RDONLY);
#endif
    pthread_create(&thread, 0, change, 0);
#ifdef STREAM
    a = fgetc(file);
    rewind(file);
    b = fgetc(file);
#else
    dpor_assert(read(fd, &a, 1) == 1 && pread(fd, &b, 1, 0) == 1);
#endif
    pthread_join(thread, 0);
    dpor_observe("a", a);
    dpor_observe("b", b);
    return 0;
}
