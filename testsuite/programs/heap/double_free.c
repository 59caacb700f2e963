// Pointers that may not be freed, by a thread of which main waits for the end: nothing can come in another
// order, and the finding ends the execution. 1 execution, failed.
//
// twice: a block again. reused: again after another block of the size was allocated, which the second free
// must not take for that one. moved: again after realloc moved it. inside: an address inside of a block.
// local: a variable. realloc: a freed block is to grow.
//@ revisions: twice reused moved inside local realloc
//@ expect: bug
//@ args: -k
//@ opt: O0 O2
//@ executions: 0
//@ failed: 1
//@[twice] kind: double-free
//@[twice] message: freed by T1 at
//@[twice] message: allocated by T1 at
//@[twice] cflags: -DWORK=free(block);free(block)
//@[reused] kind: double-free
//@[reused] cflags: -DWORK=free(block);other=malloc(20);free(block)
//@[moved] kind: double-free
//@[moved] cflags: -DWORK=other=realloc(block,10000);free(block)
//@[inside] kind: invalid-free
//@[inside] message: allocated by T1 at
//@[inside] cflags: -DWORK=free(block+4)
//@[local] kind: invalid-free
//@[local] cflags: -DWORK=block=(int*)&unused;free(block)
//@[realloc] kind: double-free
//@[realloc] cflags: -DWORK=free(block);other=realloc(block,30)
#include <pthread.h>
#include <stdlib.h>

int *volatile block, *volatile other;

static void *work(void *unused) {
    block = malloc(20);
    WORK;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
