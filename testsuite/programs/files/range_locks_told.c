// What locks of ranges that belong to an open file are, as F_OFD_GETLK tells it: which part is left, what is
// joined, who comes first; and what is refused. native: the kernel says so too.
// One thread at a time: one execution.
//@ revisions: checked native
//@[checked] expect: verified
//@[checked] executions: 1
//@[native] mode: off
//@[native] exit: 0
//@ cflags: -D_GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int one, other, third, reads, writes, duplicate;

static int set(int file, int kind, int whence, long start, long bytes) {
    struct flock range = {.l_type = kind, .l_whence = whence, .l_start = start, .l_len = bytes};
    return fcntl(file, F_OFD_SETLK, &range) == 0 ? 0 : errno;
}

// Whether the first lock in the way of `kind` on these bytes is this one.
static int found(int file, int kind, long start, long bytes, int expected, long from, long length) {
    struct flock range = {.l_type = kind, .l_whence = SEEK_CUR, .l_start = start, .l_len = bytes};
    assert(fcntl(file, F_OFD_GETLK, &range) == 0);
    if (expected == F_UNLCK) return range.l_type == F_UNLCK && range.l_start == start;
    return range.l_type == expected && range.l_whence == SEEK_SET && range.l_start == from &&
           range.l_len == length && range.l_pid == -1;
}

static void *thread(void *unused) {
    assert(set(one, F_WRLCK, SEEK_SET, 10, 10) == 0);
    assert(found(other, F_RDLCK, 0, 0, F_WRLCK, 10, 10));
    assert(found(other, F_WRLCK, 0, 10, F_UNLCK, 0, 0));
    assert(found(other, F_WRLCK, 20, 0, F_UNLCK, 0, 0));
    // Its own, and a duplicate's, are not in the way.
    assert(found(one, F_WRLCK, 0, 0, F_UNLCK, 0, 0) && found(duplicate, F_WRLCK, 0, 0, F_UNLCK, 0, 0));
    assert(set(other, F_WRLCK, SEEK_SET, 19, 1) == EAGAIN && set(other, F_RDLCK, SEEK_SET, 0, 11) == EAGAIN);
    assert(set(duplicate, F_WRLCK, SEEK_SET, 15, 1) == 0);
    // Joined with its neighbours, of the same sort; and apart again.
    assert(set(duplicate, F_WRLCK, SEEK_SET, 20, 5) == 0 && set(one, F_WRLCK, SEEK_SET, 5, 5) == 0);
    assert(found(other, F_RDLCK, 0, 0, F_WRLCK, 5, 20));
    assert(set(one, F_UNLCK, SEEK_SET, 10, 5) == 0);
    assert(found(other, F_RDLCK, 0, 0, F_WRLCK, 5, 5) && found(other, F_RDLCK, 10, 0, F_WRLCK, 15, 10));
    assert(set(other, F_WRLCK, SEEK_SET, 10, 5) == 0 && set(one, F_WRLCK, SEEK_SET, 14, 1) == EAGAIN);
    // A part is shared now.
    assert(set(one, F_RDLCK, SEEK_SET, 16, 2) == 0);
    assert(found(third, F_WRLCK, 16, 2, F_RDLCK, 16, 2) && found(third, F_RDLCK, 16, 2, F_UNLCK, 0, 0));
    assert(found(third, F_RDLCK, 15, 10, F_WRLCK, 15, 1) && found(third, F_RDLCK, 16, 10, F_WRLCK, 18, 7));
    // Whoever came first is told first.
    assert(set(third, F_RDLCK, SEEK_SET, 16, 1) == 0 && found(other, F_WRLCK, 16, 1, F_RDLCK, 16, 2));
    assert(set(one, F_UNLCK, SEEK_SET, 0, 0) == 0 && found(other, F_WRLCK, 16, 1, F_RDLCK, 16, 1));
    assert(set(one, F_RDLCK, SEEK_SET, 16, 1) == 0 && set(third, F_UNLCK, SEEK_SET, 0, 0) == 0);
    // From the offset, from the end, and backwards.
    assert(set(other, F_UNLCK, SEEK_SET, 0, 0) == 0 && set(one, F_UNLCK, SEEK_SET, 0, 0) == 0);
    assert(lseek(one, 7, SEEK_SET) == 7);
    assert(set(one, F_WRLCK, SEEK_CUR, 1, 2) == 0 && found(other, F_RDLCK, 0, 0, F_WRLCK, 8, 2));
    assert(set(one, F_UNLCK, SEEK_SET, 0, LONG_MAX) == 0);
    assert(set(one, F_WRLCK, SEEK_END, -1, 0) == 0 && found(other, F_RDLCK, 0, 0, F_WRLCK, 99, 0));
    assert(set(one, F_UNLCK, SEEK_SET, 0, 0) == 0);
    assert(set(one, F_WRLCK, SEEK_SET, 10, -4) == 0 && found(other, F_RDLCK, 0, 0, F_WRLCK, 6, 4));
    // Closing one of two descriptors gives nothing back, closing the last does.
    assert(close(duplicate) == 0 && found(other, F_RDLCK, 0, 0, F_WRLCK, 6, 4));
    assert(close(one) == 0 && found(other, F_RDLCK, 0, 0, F_UNLCK, 0, 0));
    // Refused.
    assert(set(other, F_WRLCK, SEEK_SET, -1, 0) == EINVAL && set(other, F_WRLCK, SEEK_SET, 3, -4) == EINVAL);
    assert(set(other, 77, SEEK_SET, 0, 0) == EINVAL && set(other, F_WRLCK, 77, 0, 0) == EINVAL);
    assert(set(other, F_WRLCK, SEEK_SET, LONG_MAX, 2) == EOVERFLOW);
    assert(set(other, F_WRLCK, SEEK_END, LONG_MAX, 0) == EOVERFLOW);
    assert(set(reads, F_WRLCK, SEEK_SET, 0, 0) == EBADF && set(writes, F_RDLCK, SEEK_SET, 0, 0) == EBADF);
    assert(set(reads, F_RDLCK, SEEK_SET, 0, 0) == 0 && set(reads, F_UNLCK, SEEK_SET, 0, 0) == 0);
    assert(set(one, F_WRLCK, SEEK_SET, 0, 0) == EBADF);
    struct flock named = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_pid = 1};
    assert(fcntl(other, F_OFD_SETLK, &named) == -1 && errno == EINVAL);
    assert(fcntl(other, F_OFD_GETLK, &named) == -1 && errno == EINVAL);
    return unused;
}

int main(void) {
    pthread_t created;
    char name[] = "/tmp/dpor_files_rangesXXXXXX", zeros[100] = {0};
    one = mkstemp(name);
    assert(write(one, zeros, sizeof zeros) == sizeof zeros && lseek(one, 0, SEEK_SET) == 0);
    duplicate = dup(one);
    other = open(name, O_RDWR);
    third = open(name, O_RDWR);
    reads = open(name, O_RDONLY);
    writes = open(name, O_WRONLY);
    unlink(name);
    pthread_create(&created, 0, thread, 0);
    pthread_join(created, 0);
    return 0;
}
