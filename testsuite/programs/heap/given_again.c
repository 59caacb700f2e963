// A block that is larger than what is kept back is freed and given out again at the same place, and begins anew: with
// zeros (calloc), or with what was in a smaller one (realloc). Compare-exchanges look at its first word, so what they
// find there is not what the last one of the round before left.
//
// In each of two rounds main and a thread exchange 0 for 1; one of them succeeds. Two orders in each round, which ends
// with a join: 2 * 2.
//@ revisions: calloc realloc
//@ expect: verified
//@ opt: O0 O2
//@ executions: 4
//@[calloc] cflags: -DNEW=calloc(1,BYTES)
//@[realloc] cflags: -DNEW=realloc(calloc(1,8),BYTES)
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define BYTES 70000

static int exchange(void *block) {
    unsigned long expected = 0;
    return atomic_compare_exchange_strong((atomic_ulong *)block, &expected, 1);
}

static void *beside(void *block) { return (void *)(intptr_t)exchange(block); }

int main(void) {
    for (int round = 0; round < 2; round++) {
        void *block = NEW, *other;
        pthread_t thread;
        pthread_create(&thread, 0, beside, block);
        int own = exchange(block);
        pthread_join(thread, &other);
        assert(own + (int)(intptr_t)other == 1);
        free(block);
    }
    return 0;
}
