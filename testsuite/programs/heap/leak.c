// A block that nobody can reach any more when all threads have ended: a warning, in the executions where that is so.
// [lost] Two threads push to a list with a load and a store. By hand: one after the other, 2 orders; or both load first,
// and the stores come in 2 orders: 4 executions. Only in the last two a node is lost.
// [forgotten] A thread forgets a block of its own. [argument] Nobody frees what a
// thread is given. [freed] All is freed.
// [kept] A global variable has the address, [inside] of a part of the block. [chain] One block has that of another.
// [before] A block from before the second thread has it. [stack] exit() is called while a local variable has it.
// [mapped] Memory has it that was mapped. [key] The thread that ends the process has it for a key.
//@ revisions: lost forgotten argument freed kept inside chain before stack mapped key
//@ expect: verified
//@ opt: O0 O2
//@[lost] args: --reductions=none
//@[lost] executions: 4
//@[lost] kind: leak
//@[lost] message: a heap block of 16 bytes is never freed
//@[forgotten] cflags: -DFORGET
//@[forgotten] kind: leak
//@[argument] cflags: -DFORGET -DARGUMENT
//@[argument] kind: leak
//@[freed] cflags: -DFORGET -DFREE
//@[kept] cflags: -DFORGET -DKEEP=kept=block
//@[inside] cflags: -DFORGET -DKEEP=kept=&block->value
//@[chain] cflags: -DFORGET -DKEEP=chain(block)
//@[before] cflags: -DFORGET -DKEEP=first->next=block
//@[stack] cflags: -DFORGET -DSTACK
//@[mapped] cflags: -DFORGET -DKEEP=*mapped=block
//@[key] cflags: -DFORGET -DFREE -DKEY
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

struct node {
    struct node *next;
    int value;
};

void *kept;
void **mapped;
struct node *first;
static pthread_key_t key;
#ifndef KEEP
#define KEEP (void)block
#endif

#ifdef FORGET
void chain(struct node *block) {
    struct node *other = malloc(sizeof *other);
    other->next = block;
    kept = other;
}

static void *work(void *given) {
    struct node *block = given ? given : malloc(sizeof *block);
    block->value = 1;
    KEEP;
#ifdef FREE
    free(block);
#endif
#ifdef STACK
    return block;
#else
    return NULL;
#endif
}

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t one, two;
    void *result;
    first = malloc(sizeof *first);
    pthread_create(&one, NULL, idle, NULL);
    pthread_join(one, NULL);
#ifdef ARGUMENT
    struct node *given = malloc(sizeof *given);
#else
    struct node *given = NULL;
#endif
    mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&two, NULL, work, given);
    pthread_join(two, &result);
#ifdef KEY
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, malloc(1));
#endif
#ifdef STACK
    void *volatile left = result;
    exit(left == NULL);
#endif
}
#else
static _Atomic(struct node *) head;

static void *push(void *unused) {
    struct node *node = malloc(sizeof *node);
    node->next = atomic_load(&head);
    atomic_store(&head, node);
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, push, NULL);
    pthread_create(&two, NULL, push, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
}
#endif
