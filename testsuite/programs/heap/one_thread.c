// Errors of the heap in a program, or the part of it, that has no second thread: they are looked for as it runs.
//
// Nothing comes in another order: 1 execution. A write out of bounds, a double and an invalid free end it (failed), a
// use of freed memory and a read do not. `work` is what main does, before it creates a thread or instead of that.
// used, read, atomic, behind, front, string, copied, twice, inside: one error each. grown: a block that realloc moved.
// local: the block is allocated, used and freed in main, where the optimizer could take it away.
// before_thread: a thread comes later. clean: none of it, with blocks of all sizes, that grow, are freed and are
// given out again.
// alone: run by itself, the program is the plain program: it writes what it writes and ends as it ends.
//@ revisions: used read atomic behind front string copied twice inside grown local before_thread clean alone
//@ opt: O0 O2
//@ expect: bug
//@[used] cflags: -DWORK=free(block);*block=1
//@[used] kind: use-after-free
//@[used] message: freed while the program had one thread
//@[used] executions: 1
//@[read] cflags: -DWORK=free(block);other=*block
//@[read] kind: use-after-free
//@[read] executions: 1
//@[atomic] cflags: -DWORK=free(block);__atomic_fetch_add(block,1,__ATOMIC_SEQ_CST)
//@[atomic] kind: use-after-free
//@[atomic] executions: 1
//@[behind] cflags: -DWORK=block[size]=1
//@[behind] kind: out-of-bounds
//@[behind] executions: 0
//@[behind] failed: 1
//@[front] cflags: -DWORK=memset(block-16,1,32)
//@[front] kind: out-of-bounds
//@[front] executions: 0
//@[front] failed: 1
//@[string] cflags: -DWORK=strcpy(block,text) -fno-builtin
//@[string] kind: out-of-bounds
//@[string] executions: 0
//@[string] failed: 1
//@[copied] cflags: -DWORK=memcpy(copy,block,size+3)
//@[copied] kind: out-of-bounds
//@[copied] executions: 1
//@[twice] cflags: -DWORK=free(block);free(block)
//@[twice] kind: double-free
//@[twice] executions: 0
//@[twice] failed: 1
//@[inside] cflags: -DWORK=free(block+16)
//@[inside] kind: invalid-free
//@[inside] executions: 0
//@[inside] failed: 1
//@[grown] cflags: -DWORK=kept=realloc(block,5000);*block=1
//@[grown] kind: use-after-free
//@[grown] executions: 1
//@[local] cflags: -DWORK=int*mine=malloc(4);*mine=1;free(mine);*mine=2
//@[local] kind: use-after-free
//@[local] executions: 1
//@[before_thread] cflags: -DTHREAD -DWORK=free(block);*block=1
//@[before_thread] kind: use-after-free
//@[before_thread] executions: 1
//@[clean] cflags: -DTHREAD -DWORK=clean()
//@[clean] expect: verified
//@[clean] executions: 1
//@[alone] mode: alone
//@[alone] cflags: -DWORK=free(block);*block=1;puts("text")
//@[alone] outputs: text\n
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *volatile block, *volatile kept;
volatile size_t size = 20;
char other, copy[64];
const char *volatile text = "a text that is longer than the block";

__attribute__((unused)) static void clean(void) {
    for (int turn = 0; turn < 2; turn++)
        for (size_t bytes = 1; bytes < 9000; bytes += bytes < 100 ? 1 : 997) {
            kept = calloc(1, bytes);
            memset(kept, 1, bytes);
            kept = realloc(kept, bytes * 3 / 2);
            kept[bytes * 3 / 2 - 1] = kept[0];
            kept = realloc(kept, bytes);
            other = kept[bytes - 1];
            free(kept);
            kept = aligned_alloc(64, 64 * (bytes / 64 + 1));
            kept[63] = 1;
            free(kept);
        }
    strcpy(block, "short");
    free(block);
}

__attribute__((unused)) static void *idle(void *unused) { return unused; }

int main(void) {
    block = malloc(size);
    WORK;
#ifdef THREAD
    pthread_t thread;
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);
#endif
    return 0;
}
