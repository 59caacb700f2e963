// A block that main frees in a section of a lock, and another thread uses in one of its own. The sections
// come in two orders. The thread's first: its use happens before the free. Main's first: the free happens
// before the use, which is one of freed memory. So 2 executions, one of which has the finding; atomic and
// volatile accesses and the calls on the block's mutex are events of one thread alone and add none.
//
// join: the thread frees, and main uses the block when it has joined it. own: the thread itself uses what it
// freed, and meanwhile got another block of the same size. realloc: the block moves, and the thread uses
// where it was. In these three nothing can come in another order: 1 execution.
// unordered: nothing orders free and use, which is a data race, and one whichever comes first: 1 execution.
// before: a block that was allocated before there were threads; nobody knows where.
//@ revisions: read write atomic exchange volatile copy length print mutex join own realloc unordered before
//@ expect: bug
//@ args: -k
//@ opt: O0 O2
//@ executions: 2
//@[read] cflags: -DUSE=sink=block->value
//@[read] kind: use-after-free
//@[read] message: use of a freed heap block of 64 bytes
//@[read] message: freed by T0 at
//@[read] message: use_after_free.c:81
//@[read] message: allocated by T0 at
//@[read] message: use_after_free.c:119
//@[read] smoke: yes
//@[write] cflags: -DUSE=block->value=1
//@[write] kind: use-after-free
//@[atomic] cflags: -DUSE=sink=block->counter
//@[atomic] kind: use-after-free
//@[exchange] cflags: -DUSE=atomic_fetch_add(&block->counter,1)
//@[exchange] kind: use-after-free
//@[volatile] cflags: -DUSE=sink=block->flag
//@[volatile] kind: use-after-free
//@[copy] cflags: -DUSE=memcpy(text,block->text,sizeof(text)) -fno-builtin
//@[copy] kind: use-after-free
//@[length] cflags: -DUSE=sink=strlen(block->text) -fno-builtin
//@[length] kind: use-after-free
//@[print] cflags: -DUSE=snprintf(text,sizeof(text),"%s",block->text) -fno-builtin
//@[print] kind: use-after-free
//@[mutex] cflags: -DUSE=pthread_mutex_lock(&block->mutex),pthread_mutex_unlock(&block->mutex)
//@[mutex] kind: use-after-free
//@[join] cflags: -DJOIN -DUSE=sink=block->value
//@[join] kind: use-after-free
//@[join] executions: 1
//@[join] message: freed by T1
//@[own] cflags: -DOWN -DUSE=sink=block->value
//@[own] kind: use-after-free
//@[own] executions: 1
//@[realloc] cflags: -DOWN -DREALLOC -DUSE=sink=block->value
//@[realloc] kind: use-after-free
//@[realloc] executions: 1
//@[unordered] cflags: -DUNORDERED -DUSE=sink=block->value
//@[unordered] kind: data-race
//@[unordered] executions: 1
//@[before] cflags: -DBEFORE -DUSE=sink=block->value
//@[before] kind: use-after-free
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct block {
    int value;
    _Atomic int counter;
    volatile int flag;
    char text[12];
    pthread_mutex_t mutex;
};
_Static_assert(sizeof(struct block) == 64, "as the message says");

struct block *block, *other, *moved;
int sink;
char text[12];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// Not inlined: what is freed here is not known to be freed where it is used.
__attribute__((noinline)) static void give_up(void) {
#ifdef REALLOC
    moved = realloc(block, 1 << 20);
    if (moved == block) abort();
#else
    free(block);
#endif
}

__attribute__((noinline)) static void use(void) {
    USE; //~[read] use-after-free
}

static void *work(void *unused) {
#ifndef UNORDERED
    pthread_mutex_lock(&lock);
#endif
#if defined(JOIN) || defined(OWN)
    give_up();
#endif
#ifdef OWN
    other = malloc(sizeof *other);
    if (other == block) abort();
#endif
#ifndef JOIN
    use();
#endif
#ifndef UNORDERED
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

static void *idle(void *unused) {
    return unused;
}

int main(void) {
    pthread_t thread;
#ifndef BEFORE
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);
#endif
    block = calloc(1, sizeof *block);
    block->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_create(&thread, 0, work, 0);
#if !defined(JOIN) && !defined(OWN)
#ifndef UNORDERED
    pthread_mutex_lock(&lock);
#endif
    give_up();
#ifndef UNORDERED
    pthread_mutex_unlock(&lock);
#endif
#endif
    pthread_join(thread, 0);
#ifdef JOIN
    use();
#endif
    return 0;
}
