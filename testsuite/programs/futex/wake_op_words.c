// What the call makes of its word, how it compares, and what it refuses, in the order in which the kernel
// does (`futex_atomic_op_inuser` and `futex_wake_op` of Linux 6.1). native: the kernel says so too.
// One thread at a time: one execution.
//@ revisions: checked native
//@[checked] expect: verified
//@[checked] executions: 1
//@[native] mode: off
//@[native] exit: 0
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int words[2], other;

static long call(void *first, int command, void *second, unsigned change) {
    errno = 0;
    long result = syscall(SYS_futex, first, command, 1, 1L, second, change);
    return result == -1 ? -errno : result;
}

static void changes(unsigned operation, int operand, int from, int to) {
    // Also the high half of a group of eight bytes.
    for (int i = 0; i < 2; i++) {
        words[0] = words[1] = from;
        unsigned change = FUTEX_OP(operation, operand, FUTEX_OP_CMP_EQ, 0);
        assert(call(&other, FUTEX_WAKE_OP_PRIVATE, &words[i], change) == 0);
        assert(words[i] == to && words[1 - i] == from);
    }
}

static void *thread(void *unused) {
    changes(FUTEX_OP_SET, 5, 9, 5);
    changes(FUTEX_OP_SET, -1, 9, -1);
    changes(FUTEX_OP_SET, -2048, 9, -2048);
    changes(FUTEX_OP_ADD, 2047, -1, 2046);
    changes(FUTEX_OP_ADD, -3, 1, -2);
    changes(FUTEX_OP_ADD, 1, INT_MAX, INT_MIN);
    changes(FUTEX_OP_OR, 6, 9, 15);
    changes(FUTEX_OP_ANDN, 6, 15, 9);
    changes(FUTEX_OP_ANDN, -1, 15, 0);
    changes(FUTEX_OP_XOR, 5, 15, 10);
    changes(FUTEX_OP_OR | FUTEX_OP_OPARG_SHIFT, 31, 1, INT_MIN + 1);
    changes(FUTEX_OP_XOR | FUTEX_OP_OPARG_SHIFT, 4, 16, 0);
    // The lowest five bits of what is no number of a bit.
    changes(FUTEX_OP_SET | FUTEX_OP_OPARG_SHIFT, 33, 0, 2);
    changes(FUTEX_OP_SET | FUTEX_OP_OPARG_SHIFT, -1, 0, INT_MIN);

    unsigned set = FUTEX_OP(FUTEX_OP_SET, 1, FUTEX_OP_CMP_EQ, 0);
    char *none = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *readable = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(call((char *)words + 1, FUTEX_WAKE_OP_PRIVATE, &other, set) == -EINVAL);
    assert(call(words, FUTEX_WAKE_OP_PRIVATE, (char *)&other + 2, set) == -EINVAL);
    assert(call(words, FUTEX_WAKE_OP_PRIVATE, none, set) == -EFAULT);
    assert(call(words, FUTEX_WAKE_OP_PRIVATE, readable, set) == -EFAULT);
    assert(call(none, FUTEX_WAKE_OP_PRIVATE, words, set) == 0 && words[0] == 1);
    assert(call(none, FUTEX_WAKE_OP, words, set) == -EFAULT);
    assert(call(words, FUTEX_WAKE_OP, none, set) == -EFAULT);
    assert(call(words, FUTEX_WAKE_OP, words, set) == 0);
    assert(call(words, FUTEX_WAKE_OP | FUTEX_CLOCK_REALTIME, words, set) == -ENOSYS);
    // No such operation: nothing happens. No such comparison: the word has changed.
    words[0] = 7;
    assert(call(words, FUTEX_WAKE_OP_PRIVATE, words, FUTEX_OP(5, 1, 0, 0)) == -ENOSYS);
    assert(words[0] == 7);
    assert(call(words, FUTEX_WAKE_OP_PRIVATE, words, FUTEX_OP(FUTEX_OP_SET, 3, 6, 0)) == -ENOSYS);
    assert(words[0] == 3);
    assert(call(words, FUTEX_WAKE_OP_PRIVATE, none, FUTEX_OP(5, 1, 0, 0)) == -ENOSYS);
    assert(call(words, FUTEX_WAKE_OP_PRIVATE, none, FUTEX_OP(FUTEX_OP_SET, 3, 6, 0)) == -EFAULT);
    return unused;
}

int main(void) {
    pthread_t created;
    pthread_create(&created, 0, thread, 0);
    pthread_join(created, 0);
    return 0;
}
