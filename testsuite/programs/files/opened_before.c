// Files that are opened for writing before the second thread: what each thread writes is there for the
// others, and the next execution finds the file as it was before the check. "by_hand": the file is opened
// by a system call of the program's own, so it was made on the disk; what is written to it before the
// second thread is there in each execution, and what is written later in none but its own.
// Two writes at the end of a file: 2 orders.
//@ expect: verified
//@ revisions: libc by_hand
//@[by_hand] cflags: -DBY_HAND
//@ executions: 2
//@ outcomes: letters=9798 *1 | letters=9897 *1
#define _GNU_SOURCE
#include <dpor.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NAME "/tmp/dpor_files_opened_before"

static int file;

static void *append(void *letter) {
    dpor_assert(write(file, letter, 1) == 1);
    return 0;
}

int main(void) {
    pthread_t a, b;
    struct stat info;
    char text[8] = "";
#ifdef BY_HAND
    file = syscall(SYS_open, NAME "2", O_RDWR | O_CREAT | O_TRUNC, 0600);
#else
    file = open(NAME, O_RDWR | O_CREAT | O_EXCL | O_APPEND, 0600);
#endif
    dpor_assert(file >= 0 && write(file, "old", 3) == 3);
    pthread_create(&a, 0, append, "a");
    pthread_create(&b, 0, append, "b");
    pthread_join(a, 0);
    pthread_join(b, 0);
    dpor_assert(pread(file, text, 8, 0) == 5 && !memcmp(text, "old", 3));
    dpor_assert(fstat(file, &info) == 0 && info.st_size == 5);
    dpor_observe("letters", text[3] * 100 + text[4]);
#ifdef BY_HAND
    dpor_assert(stat(NAME "2", &info) == 0 && info.st_size == 5 && unlink(NAME "2") == 0);
#else
    dpor_assert(unlink(NAME) == 0);
#endif
    close(file);
    return 0;
}
