// Blocks from before the second thread, used wrongly by a thread that main waits for: nothing can come in
// another order. A read ends nothing: 1 execution, complete. A write ends the execution: 1, failed.
//
// The blocks have 20 bytes. behind, far, before, write: as in out_of_bounds.c. first: before the block that
// was allocated first. freed: freed before the thread. given: freed, and given out again since: its first 20
// bytes are the new block's. later: freed by main while the thread holds the lock or after it, in two orders,
// in both of which the read is behind the end. large: a block of pages. aligned: one that begins a cache
// line. inside: the last of its bytes.
//@ revisions: behind far before first write freed given given_behind later large aligned inside
//@ expect: bug
//@ args: -k
//@ opt: O0 O2
//@ executions: 1
//@[behind] kind: out-of-bounds
//@[behind] cflags: -DUSE=sink=block[5]
//@[behind] message: read of 4 bytes right behind a heap block of 20 bytes
//@[behind] message: allocated before the second thread was created
//@[far] kind: out-of-bounds
//@[far] cflags: -DUSE=sink=block[20]
//@[before] kind: out-of-bounds
//@[before] cflags: -DUSE=sink=block[-1]
//@[before] message: read of 4 bytes, 4 bytes before a heap block of 20 bytes
//@[first] kind: out-of-bounds
//@[first] cflags: -DUSE=sink=first[-1]
//@[first] message: read of 4 bytes, 4 bytes before a heap block of 20 bytes
//@[write] kind: out-of-bounds
//@[write] cflags: -DUSE=block[5]=1
//@[write] executions: 0
//@[write] failed: 1
//@[freed] cflags: -DFREED -DUSE=sink=block[3]
//@[freed] kind: use-after-free
//@[freed] message: use of a freed heap block of 20 bytes
//@[freed] message: freed before the second thread was created
//@[given] expect: verified
//@[given] cflags: -DFREED -DGIVEN -DUSE=sink=block[3]
//@[given_behind] kind: out-of-bounds
//@[given_behind] cflags: -DFREED -DGIVEN -DUSE=sink=block[5]
//@[given_behind] message: read of 4 bytes right behind a heap block of 20 bytes
//@[given_behind] message: allocated by T0
//@[later] kind: out-of-bounds
//@[later] cflags: -DLATER -DUSE=sink=block[5]
//@[later] executions: 2
//@[large] kind: out-of-bounds
//@[large] cflags: -DBYTES=20000 -DUSE=sink=block[5000]
//@[large] message: read of 4 bytes right behind a heap block of 20000 bytes
//@[aligned] kind: out-of-bounds
//@[aligned] cflags: -DALIGNED -DUSE=sink=block[5]
//@[aligned] message: read of 4 bytes right behind a heap block of 20 bytes
//@[inside] expect: verified
//@[inside] cflags: -DUSE=sink=block[4]
#include <pthread.h>
#include <stdlib.h>

#ifndef BYTES
#define BYTES 20
#endif

int *first, *block, *last;
int sink;
int *kept;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
    pthread_mutex_lock(&lock);
    USE;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *idle(void *unused) {
    return unused;
}

// Gives out blocks and takes them back until it is that one: what was freed is kept back until more was, and how
// much more depends on what the C library freed before main.
static void give_again(void) {
    pthread_t thread;
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);
    while ((kept = malloc(20)) != block)
        free(kept);
}

int main(void) {
    pthread_t thread;
    first = malloc(20);
#ifdef ALIGNED
    block = aligned_alloc(64, 20);
#else
    block = malloc(BYTES);
#endif
    last = malloc(20);
#ifdef FREED
    free(block);
#endif
#ifdef GIVEN
    give_again();
#endif
    pthread_create(&thread, 0, work, 0);
#ifdef LATER
    pthread_mutex_lock(&lock);
    free(block);
    pthread_mutex_unlock(&lock);
#endif
    pthread_join(thread, 0);
    free(first);
    free(last);
    free(kept);
#if !defined FREED && !defined LATER
    free(block);
#endif
    return 0;
}
