// Times and owners of files. "told": what the calls say and what stat tells afterwards, which real files do,
// too ("real": the same program by itself). "seen": one thread sets the times that another asks for: before
// or after, 2 executions.
//@ revisions: told real seen
//@[told] expect: verified
//@[told] executions: 1
//@[real] mode: alone
//@[real] exit: 0
//@[seen] expect: verified
//@[seen] executions: 2
//@[seen] cflags: -DSEEN
//@[seen] outcomes: modified=20 | modified=30
#define _GNU_SOURCE
#include <dpor.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

static char name[64] = "/tmp/dpor_marks_XXXXXX";

static void check(int holds, int line) {
    if (holds) return;
    printf("line %d\n", line);
    abort();
}
#define CHECK(condition) check(condition, __LINE__)

static struct stat look(void) {
    struct stat found;
    CHECK(stat(name, &found) == 0);
    return found;
}

static void set(int fd, long accessed, long modified) {
    struct timespec times[2] = {{accessed, 5}, {modified, 6}};
    CHECK(futimens(fd, times) == 0);
}

static void *change(void *unused) {
#ifdef SEEN
    struct timespec times[2] = {{0, UTIME_OMIT}, {30, 0}};
    CHECK(utimensat(AT_FDCWD, name, times, 0) == 0);
#endif
    return unused;
}

static void told(int fd) {
    struct stat found = look();
    CHECK(found.st_atim.tv_sec == 10 && found.st_atim.tv_nsec == 5);
    CHECK(found.st_mtim.tv_sec == 20 && found.st_mtim.tv_nsec == 6);

    struct timespec one[2] = {{0, UTIME_OMIT}, {21, 7}};
    CHECK(utimensat(AT_FDCWD, name, one, 0) == 0);
    found = look();
    CHECK(found.st_atim.tv_sec == 10 && found.st_mtim.tv_sec == 21 && found.st_mtim.tv_nsec == 7);

    struct timespec none[2] = {{0, UTIME_OMIT}, {0, UTIME_OMIT}};
    CHECK(utimensat(AT_FDCWD, "/tmp/dpor/is/not/there", none, 0) == 0);
    CHECK(utimensat(AT_FDCWD, "/tmp/dpor/is/not/there", one, 0) == -1 && errno == ENOENT);
    struct timespec wrong[2] = {{0, -5}, {0, 1000000000}};
    CHECK(utimensat(AT_FDCWD, name, wrong, 0) == -1 && errno == EINVAL);
    CHECK(futimens(-1, one) == -1 && errno == EBADF);

    struct timeval parts[2] = {{30, 1}, {31, 2}};
    CHECK(utimes(name, parts) == 0);
    found = look();
    CHECK(found.st_atim.tv_nsec == 1000 && found.st_mtim.tv_sec == 31);
    parts[1].tv_usec = 1000000;
    CHECK(utimes(name, parts) == -1 && errno == EINVAL);
    struct utimbuf whole = {40, 41};
    CHECK(utime(name, &whole) == 0);
    found = look();
    CHECK(found.st_atim.tv_sec == 40 && found.st_mtim.tv_sec == 41 && found.st_mtim.tv_nsec == 0);
    CHECK(utime(name, 0) == 0);
    CHECK(look().st_mtim.tv_sec > 1000000000);

    CHECK(chown(name, -1, -1) == 0 && lchown(name, geteuid(), getegid()) == 0);
    CHECK(fchown(fd, geteuid(), -1) == 0 && fchown(-1, 0, 0) == -1 && errno == EBADF);
    CHECK(look().st_uid == geteuid() && look().st_gid == getegid());
    CHECK(fchmod(fd, 06755) == 0 && (look().st_mode & 07777) == 06755);
    CHECK(chown(name, geteuid(), -1) == 0 && (look().st_mode & 07777) == 0755);
    if (geteuid() == 0) {
        CHECK(fchownat(AT_FDCWD, name, 12, 34, 0) == 0);
        CHECK(look().st_uid == 12 && look().st_gid == 34);
    } else {
        CHECK(chown(name, geteuid() + 1, -1) == -1 && errno == EPERM);
    }
}

int main(void) {
    pthread_t thread;
    int fd = mkstemp(name);
    CHECK(fd >= 0);
    set(fd, 10, 20);
    pthread_create(&thread, 0, change, 0);
#ifdef SEEN
    dpor_observe("modified", look().st_mtim.tv_sec);
#else
    told(fd);
#endif
    pthread_join(thread, 0);
    close(fd);
    unlink(name);
    return 0;
}
