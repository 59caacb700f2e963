// Two threads hold the lock of a file, which is open once for each, for an addition each: no race. Looks L,
// unlocks U, and waits W: L1 U1 L2 U2, L1 L2 U1 W2 U2, and the same with the threads exchanged: 4 orders.
// "shared": for reading, a third waits to write. "tried": who finds it taken goes on without.
// "same": one open file excludes nobody from itself, so the additions race.
// "deadlock": each holds one lock and waits for the other's.
//@ revisions: exclusive shared tried same deadlock
//@[exclusive] expect: verified
//@[exclusive] executions: 4
//@[exclusive] outcomes: count=2 *4
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

static int count, shared, files[4], a, b;

static int take(int number, int how) {
    if (flock(files[number], how) == 0) return files[number];
    dpor_assert(errno == EWOULDBLOCK && how & LOCK_NB);
    return -1;
}

static void *add(void *number) {
#if defined(TRIED)
    int file = take(*(int *)number, LOCK_EX | LOCK_NB);
    if (file < 0) return 0;
#elif defined(SAME)
    int file = shared;
    flock(file, LOCK_EX);
#else
    int file = take(*(int *)number, LOCK_EX);
#endif
    count++; //~[same] race
    flock(file, LOCK_UN);
    return number;
}

static void *look(void *result) {
    int file = take(result == &a, LOCK_SH);
    *(int *)result = count;
    // Closing it gives the lock back.
    close(file);
    return 0;
}

static void *set(void *unused) {
    int file = take(2, LOCK_EX);
    count = 5;
    close(file);
    return unused;
}

static void *both(void *number) {
    take(*(int *)number, LOCK_EX);
    take(2 + *(int *)number, LOCK_EX);
    return 0;
}

int main(void) {
    pthread_t one, two, three;
    int numbers[2] = {0, 1};
    shared = open(NAME, O_RDWR | O_CREAT, 0600);
    for (int k = 0; k < 3; k++) files[k] = open(NAME, O_RDWR | O_CREAT, 0600);
#if defined(SHARED)
    pthread_create(&one, 0, look, &a);
    pthread_create(&two, 0, look, &b);
    pthread_create(&three, 0, set, 0);
    pthread_join(three, 0);
#elif defined(DEADLOCK)
    files[1] = open(NAME "2", O_RDWR | O_CREAT, 0600);
    files[2] = open(NAME "2", O_RDWR | O_CREAT, 0600);
    files[3] = open(NAME, O_RDWR | O_CREAT, 0600);
    pthread_create(&one, 0, both, &numbers[0]);
    pthread_create(&two, 0, both, &numbers[1]);
#else
    pthread_create(&one, 0, add, &numbers[0]);
    pthread_create(&two, 0, add, &numbers[1]);
#endif
    pthread_join(one, 0);
    pthread_join(two, 0);
#ifdef SHARED
    dpor_observe("a", a);
    dpor_observe("b", b);
#else
    dpor_observe("count", count);
#endif
    (void)add, (void)look, (void)set, (void)both, (void)three;
    return 0;
}
