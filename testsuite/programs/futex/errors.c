// What the kernel refuses, in the order in which it does (futex(2)). No event of two threads
// conflicts: one execution.
//@ expect: verified
//@ executions: 1
#include <assert.h>
#include <dpor.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int word[2], other;

static long futex(void *address, int command, int value, uintptr_t fourth, void *second, int third) {
    errno = 0;
    long result = syscall(SYS_futex, address, command, value, fourth, second, third);
    return result == -1 ? -errno : result;
}

static void *thread(void *unused) {
    struct timespec bad = {0, 1000000000}, negative = {-1, 0};
    void *unmapped = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(futex(word, FUTEX_WAIT, 1, 0, 0, 0) == -EAGAIN);
    assert(futex((char *)word + 1, FUTEX_WAIT, 0, 0, 0, 0) == -EINVAL);
    assert(futex((char *)word + 2, FUTEX_WAKE, 1, 0, 0, 0) == -EINVAL);
    assert(futex(word, FUTEX_WAIT_BITSET, 0, 0, 0, 0) == -EINVAL);
    assert(futex(word, FUTEX_WAKE_BITSET, 1, 0, 0, 0) == -EINVAL);
    assert(futex(word, FUTEX_WAIT, 0, (uintptr_t)&bad, 0, 0) == -EINVAL);
    assert(futex(word, FUTEX_WAIT, 0, (uintptr_t)&negative, 0, 0) == -EINVAL);
    assert(futex(word, FUTEX_WAIT, 0, (uintptr_t)unmapped, 0, 0) == -EFAULT);
    assert(futex(unmapped, FUTEX_WAIT, 0, 0, 0, 0) == -EFAULT);
    assert(futex(word, FUTEX_WAKE | FUTEX_CLOCK_REALTIME, 1, 0, 0, 0) == -ENOSYS);
    assert(futex(word, FUTEX_REQUEUE, -1, 1, &other, 0) == -EINVAL);
    assert(futex(word, FUTEX_REQUEUE, 1, -1U, &other, 0) == -EINVAL);
    assert(futex(word, FUTEX_CMP_REQUEUE, 1, 1, (char *)&other + 1, 0) == -EINVAL);
    assert(futex(word, FUTEX_CMP_REQUEUE, 1, 1, &other, 1) == -EAGAIN);
    assert(futex(word, FUTEX_CMP_REQUEUE, 1, 1, &other, 0) == 0);
    assert(futex(word, FUTEX_REQUEUE, 1, 1, word, 0) == 0);
    assert(futex(word, FUTEX_WAKE, INT_MAX, 0, 0, 0) == 0);
    // The high half of a group of eight bytes.
    word[1] = 3;
    assert(futex(word + 1, FUTEX_WAIT, 0, 0, 0, 0) == -EAGAIN);
    return unused;
}

int main(void) {
    pthread_t created;
    pthread_create(&created, 0, thread, 0);
    pthread_join(created, 0);
    return 0;
}
