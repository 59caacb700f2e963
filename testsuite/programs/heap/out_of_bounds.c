// Accesses next to heap blocks, by a thread of which main waits for the end: nothing can come in another
// order. A read ends nothing: 1 execution, complete. A write ends the execution: 1, failed.
//
// The block has 20 bytes. behind: right behind them, where the block's size class has room. far: 64 bytes
// behind the end, less the 4 that are accessed. before: the 4 bytes before the block. write, atomic, string:
// the same as behind, by other accesses. partly: a copy of 24 bytes. shrunk: realloc to 10 bytes, which
// happens in place, and a read of byte 12. aligned: a block that begins a cache line. freed: behind a freed
// block. lock: a block of main's, in sections of a lock in two orders, in both of which the thread reads
// behind the end, though main has freed the block in one of them: 2 executions.
//@ revisions: behind far before write atomic string partly shrunk aligned freed lock
//@ expect: bug
//@ args: -k
//@ opt: O0 O2
//@ kind: out-of-bounds
//@[behind] cflags: -DUSE=sink=block[5]
//@[behind] executions: 1
//@[behind] message: read of 4 bytes right behind a heap block of 20 bytes
//@[behind] message: allocated by T1 at
//@[far] cflags: -DUSE=sink=block[20]
//@[far] executions: 1
//@[far] message: read of 4 bytes, 60 bytes behind a heap block of 20 bytes
//@[before] cflags: -DUSE=sink=block[-1]
//@[before] executions: 1
//@[before] message: read of 4 bytes, 4 bytes before a heap block of 20 bytes
//@[write] cflags: -DUSE=block[-1]=1
//@[write] executions: 0
//@[write] failed: 1
//@[write] message: write of 4 bytes, 4 bytes before a heap block of 20 bytes
//@[atomic] cflags: -DUSE=atomic_fetch_add((_Atomic(int)*)&block[5],1)
//@[atomic] executions: 0
//@[atomic] failed: 1
//@[string] cflags: -DUSE=strcpy((char*)block,"twenty_bytes_of_text") -fno-builtin
//@[string] executions: 0
//@[string] failed: 1
//@[string] message: write of 1 bytes right behind a heap block of 20 bytes
//@[partly] cflags: -DUSE=memcpy(copy,block,sizeof(copy)) -fno-builtin
//@[partly] executions: 1
//@[partly] message: read of 4 bytes right behind a heap block of 20 bytes
//@[shrunk] cflags: -DSHRUNK -DUSE=sink=block[3]
//@[shrunk] executions: 1
//@[aligned] cflags: -DALIGNED -DUSE=sink=block[5]
//@[aligned] executions: 1
//@[freed] cflags: -DFREED -DUSE=sink=block[5]
//@[freed] executions: 1
//@[lock] cflags: -DLOCK -DUSE=sink=block[5]
//@[lock] executions: 2
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

int *block;
int sink;
char copy[24];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void use(void) {
    USE;
}

static void *work(void *unused) {
#ifdef LOCK
    pthread_mutex_lock(&lock);
    use();
    pthread_mutex_unlock(&lock);
    return unused;
#elif defined(ALIGNED)
    block = aligned_alloc(64, 20);
#else
    block = malloc(20);
#endif
    memset(block, 1, 20);
#ifdef SHRUNK
    block = realloc(block, 10);
#endif
#ifdef FREED
    free(block);
#endif
    use();
    return unused;
}

static void *idle(void *unused) {
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);
#ifdef LOCK
    block = malloc(20);
#endif
    pthread_create(&thread, 0, work, 0);
#ifdef LOCK
    pthread_mutex_lock(&lock);
    free(block);
    pthread_mutex_unlock(&lock);
#endif
    pthread_join(thread, 0);
    return 0;
}
