// Two threads open the same file and hold its lock for an addition each: no race, and the file keeps 2.
// "shared": for reading, a third waits to write. "tried": who finds it taken goes on without.
// "same": one open file excludes nobody from itself, so the additions race.
// "deadlock": each holds one lock and waits for the other's.
//@ revisions: exclusive shared tried same deadlock
//@[exclusive] expect: verified
//@[exclusive] outcomes: count=2
//@[shared] expect: verified
//@[shared] outcomes: a=0 b=0 | a=0 b=5 | a=5 b=0 | a=5 b=5
//@[shared] cflags: -DSHARED
//@[tried] expect: verified
//@[tried] outcomes: count=1 | count=2
//@[tried] cflags: -DTRIED
//@[same] expect: bug
//@[same] kind: data-race
//@[same] cflags: -DSAME
//@[deadlock] expect: bug
//@[deadlock] kind: deadlock
//@[deadlock] message: for the lock of a file
//@[deadlock] cflags: -DDEADLOCK
//@ args: -k
#include <dpor.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

#define NAME "/tmp/dpor_files_flock"

static int count, shared, a, b;

static int take(int how) {
    int file = open(NAME, O_RDWR | O_CREAT, 0600);
    dpor_assert(file >= 0);
    if (flock(file, how) == 0) return file;
    dpor_assert(errno == EWOULDBLOCK && how & LOCK_NB);
    return -1;
}

static void *add(void *unused) {
#if defined(TRIED)
    int file = take(LOCK_EX | LOCK_NB);
    if (file < 0) return unused;
#elif defined(SAME)
    int file = shared;
    flock(file, LOCK_EX);
#else
    int file = take(LOCK_EX);
#endif
    count++; //~[same] race
    flock(file, LOCK_UN);
    return unused;
}

static void *look(void *result) {
    int file = take(LOCK_SH);
    *(int *)result = count;
    // Closing it gives the lock back.
    close(file);
    return 0;
}

static void *set(void *unused) {
    int file = take(LOCK_EX);
    count = 5;
    close(file);
    return unused;
}

static void *both(void *other) {
    int first = take(LOCK_EX), second = open(NAME "2", O_RDWR | O_CREAT, 0600);
    (void)first;
    flock(second, LOCK_EX);
    return other;
}

static void *both_other(void *other) {
    int second = open(NAME "2", O_RDWR | O_CREAT, 0600);
    flock(second, LOCK_EX);
    take(LOCK_EX);
    return other;
}

int main(void) {
    pthread_t one, two, three;
    shared = open(NAME, O_RDWR | O_CREAT, 0600);
#if defined(SHARED)
    pthread_create(&one, 0, look, &a);
    pthread_create(&two, 0, look, &b);
    pthread_create(&three, 0, set, 0);
    pthread_join(three, 0);
#elif defined(DEADLOCK)
    pthread_create(&one, 0, both, 0);
    pthread_create(&two, 0, both_other, 0);
#else
    pthread_create(&one, 0, add, 0);
    pthread_create(&two, 0, add, 0);
#endif
    pthread_join(one, 0);
    pthread_join(two, 0);
#ifdef SHARED
    dpor_observe("a", a);
    dpor_observe("b", b);
#else
    dpor_observe("count", count);
#endif
    (void)add, (void)look, (void)set, (void)both, (void)both_other, (void)three;
    return 0;
}
