// Ranges that lie in front of a block, or begin there: out of bounds, as a single byte in front is. No block lies
// before the first one of its area, and in front of an aligned block lies what the heap cut off for it.
//
// One thread does it, and main waits for it: 1 execution. A write ends it before it is made (failed), a read does not.
// first: the first block of the thread. aligned: at a multiple of 64. page: as large as several pages, the first of
// those. zeros: calloc's. moved: realloc's, in place. second: one before which another lies.
// far: ends 16 bytes before the block's header. into: begins in front and ends inside. across: begins in front and
// ends behind. copied: is read from. string: is written by strcpy, which takes its length from what it copies.
// received: is written by read. alone: the same before the second thread.
//@ revisions: first aligned page zeros moved second into across copied string received alone
//@ opt: O0 O1 O2
//@ expect: bug
//@ kind: out-of-bounds
//@[first] message: 32 bytes before a heap block of 16 bytes
//@[first] cflags: -DBLOCK=malloc(16) -DWORK=memset(block-32,1,16)
//@[first] executions: 0
//@[first] failed: 1
//@[aligned] message: 32 bytes before a heap block of 64 bytes
//@[aligned] cflags: -DBLOCK=aligned_alloc(64,64) -DWORK=memset(block-32,1,16)
//@[aligned] executions: 0
//@[aligned] failed: 1
//@[page] message: 32 bytes before a heap block of 9000 bytes
//@[page] cflags: -DBLOCK=malloc(9000) -DWORK=memset(block-32,1,16)
//@[page] executions: 0
//@[page] failed: 1
//@[zeros] message: 20 bytes before a heap block of 30 bytes
//@[zeros] cflags: -DBLOCK=calloc(3,10) -DWORK=memset(block-20,1,4)
//@[zeros] executions: 0
//@[zeros] failed: 1
//@[moved] message: 32 bytes before a heap block of 80 bytes
//@[moved] cflags: -DBLOCK=realloc(malloc(100),80) -DWORK=memset(block-32,1,16)
//@[moved] executions: 0
//@[moved] failed: 1
//@[second] message: behind a heap block of 8 bytes
//@[second] cflags: -DBLOCK=(block=malloc(8),malloc(8)) -DWORK=memset(block-32,1,16)
//@[second] executions: 0
//@[second] failed: 1
//@[into] message: 40 bytes before a heap block of 16 bytes
//@[into] cflags: -DBLOCK=malloc(16) -DWORK=memset(block-40,1,48)
//@[into] executions: 0
//@[into] failed: 1
//@[across] message: 24 bytes before a heap block of 16 bytes
//@[across] cflags: -DBLOCK=malloc(16) -DWORK=memset(block-24,1,80)
//@[across] executions: 0
//@[across] failed: 1
//@[copied] message: read of 8 bytes, 48 bytes before a heap block of 16 bytes
//@[copied] cflags: -DBLOCK=malloc(16) -DWORK=memcpy(copy,block-48,16)
//@[copied] executions: 1
//@[string] message: 28 bytes before a heap block of 16 bytes
//@[string] cflags: -DBLOCK=malloc(16) -DWORK=strcpy(block-28,text) -fno-builtin
//@[string] executions: 0
//@[string] failed: 1
//@[received] message: 40 bytes before a heap block of 16 bytes
//@[received] cflags: -DBLOCK=malloc(16) -DWORK=receive(block-40)
//@[received] executions: 0
//@[received] failed: 1
//@[alone] cflags: -DBLOCK=aligned_alloc(64,64) -DWORK=memset(block-32,1,16) -DALONE
//@[alone] executions: 0
//@[alone] failed: 1
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *volatile block;
char copy[16];
const char *volatile text = "7 words";

__attribute__((unused)) static void receive(char *to) {
    int zeros = open("/dev/zero", O_RDONLY);
    if (read(zeros, to, 16) != 16) abort();
    close(zeros);
}

static void *work(void *unused) {
    block = BLOCK;
    WORK;
    return unused;
}

int main(void) {
#ifdef ALONE
    work(0);
#endif
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
