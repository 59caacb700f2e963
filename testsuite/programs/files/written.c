// A file that does not exist is made, written, read, cut, appended to, and removed, while there are
// threads. The disk never sees it: the next execution, and the next check, begin without it.
// One thread at a time: 1 execution.
//@ expect: verified
//@ executions: 1
#define _GNU_SOURCE
#include <dpor.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "/tmp/dpor_files_written"

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    struct stat stat_;
    char text[32];
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);
    dpor_assert(access(NAME, F_OK) == -1 && errno == ENOENT);
    dpor_assert(open(NAME, O_RDWR) == -1 && errno == ENOENT);
    int fd = open(NAME, O_RDWR | O_CREAT | O_EXCL, 0600);
    dpor_assert(fd >= 0);
    dpor_assert(open(NAME, O_RDWR | O_CREAT | O_EXCL, 0600) == -1 && errno == EEXIST);
    dpor_assert(write(fd, "hello world", 11) == 11);
    dpor_assert(lseek(fd, 0, SEEK_CUR) == 11);
    dpor_assert(pread(fd, text, 5, 6) == 5 && !memcmp(text, "world", 5));
    dpor_assert(pwrite(fd, "W", 1, 6) == 1);
    dpor_assert(lseek(fd, -5, SEEK_END) == 6);
    dpor_assert(read(fd, text, 32) == 5 && !memcmp(text, "World", 5));
    dpor_assert(read(fd, text, 32) == 0);
    dpor_assert(stat(NAME, &stat_) == 0 && stat_.st_size == 11 && S_ISREG(stat_.st_mode));
    dpor_assert((stat_.st_mode & 0777) == 0600);
    dpor_assert(ftruncate(fd, 3) == 0 && fstat(fd, &stat_) == 0 && stat_.st_size == 3);
    dpor_assert(ftruncate(fd, 5) == 0 && pread(fd, text, 32, 0) == 5);
    dpor_assert(!memcmp(text, "hel\0\0", 5));
    int other = open(NAME, O_WRONLY | O_APPEND);
    dpor_assert(write(other, "!", 1) == 1);
    dpor_assert(read(other, text, 1) == -1 && errno == EBADF);
    dpor_assert(pread(fd, text, 32, 0) == 6 && text[5] == '!');
    dpor_assert(pwrite(fd, "x", 1, 5000) == 1);
    dpor_assert(pread(fd, text, 2, 4999) == 2 && text[0] == 0 && text[1] == 'x');
    dpor_assert(unlink(NAME) == 0 && unlink(NAME) == -1 && errno == ENOENT);
    dpor_assert(access(NAME, F_OK) == -1);
    dpor_assert(fstat(fd, &stat_) == 0 && stat_.st_nlink == 0 && stat_.st_size == 5001);
    close(fd);
    close(other);
    return 0;
}
