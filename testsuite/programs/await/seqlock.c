// A reader of a sequence lock. The writer: sequence 1, data, sequence 2. The reader waits for an even number, reads the
// data, looks at the number again, and begins anew if it changed.
// It begins after the 2, or all of it comes before the 1: 2 executions. It begins before the 1, and its second look
// comes before or after the 2, its data from before or after the write: that turn is the last thing that its thread
// does, 4 blocked. Counted by brute force, too: testsuite/tests/suite/waiting_for_others.rs.
//@ expect: verified
//@ executions: 2
//@ blocked: 4
//@ opt: O0 O2
//@ outcomes: data=0 | data=7
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint sequence;
static atomic_int data;

static void *writer(void *unused) {
    atomic_store(&sequence, 1);
    atomic_store(&data, 7);
    atomic_store(&sequence, 2);
    return unused;
}

static void *reader(void *unused) {
    unsigned before;
    int seen;
    do {
        while ((before = atomic_load(&sequence)) & 1) {
            __builtin_ia32_pause();
        }
        seen = atomic_load(&data);
    } while (atomic_load(&sequence) != before);
    dpor_observe("data", seen);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
