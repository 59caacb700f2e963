// Locks of ranges that belong to an open file (fcntl(2), "Open file description locks"): two descriptors that
// were opened apart exclude each other, also in one process; one that was duplicated does not.
//
// "exclusive": two threads hold the lock of the same bytes for an addition each: no race. Looks L, unlocks U, and
// waits for the other's unlocking before looking again W: L1 U1 L2 U2, L1 L2 U1 W2 L2 U2, and the same with the
// threads exchanged: 4 orders.
// "tried": who finds it taken goes on without. "closed": closing the descriptor gives the lock back.
// "overlapping": bytes 0 to 9 against 5 to 14. "shared": two read, a third waits to write: each reader sees the
// value before or after. "upgraded": who has it shared waits until the other reader has given it back.
// "same": a duplicated descriptor has the same lock, so the additions race. "apart": locks of bytes 0 to 9 and
// of 10 to 19 exclude nobody and order nothing: the additions race. "unlocked": part of a lock is given back,
// and the addition is under the lock of that part only: they race.
// "deadlock": each holds one byte and waits for the other's.
// "process": such a lock and one of the process exclude each other, which is not modelled.
//@ revisions: exclusive tried closed overlapping shared upgraded same apart unlocked deadlock process
//@ cflags: -D_GNU_SOURCE
//@[exclusive] cflags: -D_GNU_SOURCE -DEXCLUSIVE
//@[exclusive] expect: verified
//@[exclusive] executions: 4
//@[exclusive] outcomes: count=2 *4
//@[tried] cflags: -D_GNU_SOURCE -DTRIED
//@[tried] expect: verified
//@[tried] outcomes: count=1 | count=2
//@[closed] cflags: -D_GNU_SOURCE -DEXCLUSIVE -DCLOSED
//@[closed] expect: verified
//@[closed] outcomes: count=2
//@[overlapping] cflags: -D_GNU_SOURCE -DEXCLUSIVE -DOTHER=5,10
//@[overlapping] expect: verified
//@[overlapping] outcomes: count=2
//@[shared] cflags: -D_GNU_SOURCE -DSHARED
//@[shared] expect: verified
//@[shared] outcomes: a=0 b=0 | a=0 b=5 | a=5 b=0 | a=5 b=5
//@[upgraded] cflags: -D_GNU_SOURCE -DUPGRADED
//@[upgraded] expect: verified
//@[upgraded] outcomes: a=0 count=5
//@[same] cflags: -D_GNU_SOURCE -DEXCLUSIVE -DSAME
//@[same] expect: bug
//@[same] kind: data-race
//@[apart] cflags: -D_GNU_SOURCE -DEXCLUSIVE -DOTHER=10,10
//@[apart] expect: bug
//@[apart] kind: data-race
//@[unlocked] cflags: -D_GNU_SOURCE -DEXCLUSIVE -DUNLOCKED -DOTHER=0,5
//@[unlocked] expect: bug
//@[unlocked] kind: data-race
//@[deadlock] cflags: -D_GNU_SOURCE -DDEADLOCK
//@[deadlock] expect: bug
//@[deadlock] kind: deadlock
//@[deadlock] message: for the lock of a range of a file
//@[process] cflags: -D_GNU_SOURCE -DPROCESS
//@[process] expect: unsupported
//@[process] reason: locks of the process and of open files
//@ args: -k
#include <dpor.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#define NAME "/tmp/dpor_files_range_locks"
#ifndef OTHER
#define OTHER 0, 10
#endif

static int count, files[3], a, b;

static int lock(int file, int command, int kind, int start, int bytes) {
    struct flock range = {.l_type = kind, .l_whence = SEEK_SET, .l_start = start, .l_len = bytes};
    int result = fcntl(file, command, &range);
    dpor_assert(result == 0 || (command == F_OFD_SETLK && errno == EAGAIN));
    return result;
}

static void *add(void *number) {
    int file = files[*(int *)number];
#ifdef TRIED
    if (lock(file, F_OFD_SETLK, F_WRLCK, 0, 0) != 0) return 0;
#else
    if (*(int *)number == 0)
        lock(file, F_OFD_SETLKW, F_WRLCK, 0, 10);
    else
        lock(file, F_OFD_SETLKW, F_WRLCK, OTHER);
#endif
#ifdef UNLOCKED
    if (*(int *)number == 0) lock(file, F_OFD_SETLK, F_UNLCK, 0, 5);
#endif
    count++;
#ifdef CLOSED
    close(file);
#else
    lock(file, F_OFD_SETLK, F_UNLCK, 0, 0);
#endif
    return number;
}

static void *look(void *result) {
    int file = files[result == &a];
    lock(file, F_OFD_SETLKW, F_RDLCK, 0, 0);
    *(int *)result = count;
    lock(file, F_OFD_SETLK, F_UNLCK, 0, 0);
    return 0;
}

static void *set(void *unused) {
    lock(files[2], F_OFD_SETLKW, F_WRLCK, 3, 1);
    count = 5;
    lock(files[2], F_OFD_SETLK, F_UNLCK, 3, 1);
    return unused;
}

static void *upgrade(void *unused) {
    lock(files[0], F_OFD_SETLKW, F_WRLCK, 0, 0);
    count = 5;
    lock(files[0], F_OFD_SETLK, F_UNLCK, 0, 0);
    return unused;
}

static void *both(void *number) {
    int mine = *(int *)number;
    lock(files[mine], F_OFD_SETLKW, F_WRLCK, mine, 1);
    lock(files[mine], F_OFD_SETLKW, F_WRLCK, 1 - mine, 1);
    lock(files[mine], F_OFD_SETLK, F_UNLCK, 0, 0);
    return 0;
}

int main(void) {
    pthread_t one, two, three;
    int numbers[2] = {0, 1};
    for (int k = 0; k < 3; k++) files[k] = open(NAME, O_RDWR | O_CREAT, 0600);
#ifdef SAME
    files[1] = dup(files[0]);
#endif
#if defined(SHARED)
    pthread_create(&one, 0, look, &a);
    pthread_create(&two, 0, look, &b);
    pthread_create(&three, 0, set, 0);
    pthread_join(three, 0);
    pthread_join(two, 0);
#elif defined(UPGRADED)
    // Both readers are there from the start.
    lock(files[0], F_OFD_SETLK, F_RDLCK, 0, 0);
    lock(files[1], F_OFD_SETLK, F_RDLCK, 0, 0);
    pthread_create(&one, 0, upgrade, 0);
    a = count;
    lock(files[1], F_OFD_SETLK, F_UNLCK, 0, 0);
#elif defined(DEADLOCK)
    pthread_create(&one, 0, both, &numbers[0]);
    pthread_create(&two, 0, both, &numbers[1]);
    pthread_join(two, 0);
#elif defined(PROCESS)
    lock(files[0], F_OFD_SETLK, F_RDLCK, 0, 0);
    lock(files[1], F_SETLK, F_RDLCK, 0, 0);
    pthread_create(&one, 0, look, &a);
#else
    pthread_create(&one, 0, add, &numbers[0]);
    pthread_create(&two, 0, add, &numbers[1]);
    pthread_join(two, 0);
#endif
    pthread_join(one, 0);
#if defined(SHARED)
    dpor_observe("a", a);
    dpor_observe("b", b);
#elif defined(UPGRADED)
    dpor_observe("a", a);
    dpor_observe("count", count);
#else
    dpor_observe("count", count);
#endif
    (void)add, (void)look, (void)set, (void)both, (void)upgrade, (void)three, (void)two, (void)numbers;
    return 0;
}
