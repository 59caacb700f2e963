// A free that nothing orders with a use of the block: an error whatever --races says, unless it says that
// neither is looked for.
//
// published: `fill` puts its block into the slot, in a section of the lock, and writes to it afterwards;
// `drop` takes what is in the slot, in a section, and frees it. The sections come in 2 orders; in that of
// fill before drop nothing orders write and free. Nothing but the sections conflicts, also with plain accesses as
// events: the slot is accessed in sections, and one thread alone accesses the block.
// flag, plain_flag: `fill` writes, then sets a flag without ordering anything; `drop` frees if it finds it set.
// The look comes before or behind it: 2 traces. C11 orders nothing, so that for it the free may come first; but
// no interleaving has it first, which is what --plain=explore asks for where races are not looked for.
// destroyed: main destroys a semaphore that a thread posts, whichever comes first. Post first: nothing orders them,
// so it is destroyed in use. Destroy first: the thread posts what is none, and the execution ends there. 2 traces.
// ordered: main frees and then writes, while another thread runs: 1 trace.
//@ revisions: published_warn published_warn_all published_all published_c11 flag_warn flag_all plain_flag_all destroyed ordered_warn ordered_all ordered_off
//@ opt: O0 O2
//@[published_warn] args: -k --races=warn
//@[published_warn] expect: bug
//@[published_warn] kind: use-after-free
//@[published_warn] executions: 2
//@[published_warn] message: nothing orders the free and the use
//@[published_warn_all] args: -k --races=warn --plain=explore
//@[published_warn_all] expect: bug
//@[published_warn_all] kind: use-after-free
//@[published_warn_all] executions: 2
//@[published_all] args: -k --races=off --plain=explore
//@[published_all] expect: bug
//@[published_all] kind: use-after-free
//@[published_all] executions: 2
//@[published_c11] args: -k
//@[published_c11] expect: bug
//@[published_c11] kind: data-race
//@[published_c11] executions: 2
//@[flag_warn] args: -k --races=warn
//@[flag_warn] cflags: -DFLAG
//@[flag_warn] expect: bug
//@[flag_warn] kind: use-after-free
//@[flag_warn] executions: 2
//@[flag_all] args: --races=off --plain=explore
//@[flag_all] cflags: -DFLAG
//@[flag_all] expect: verified
//@[flag_all] executions: 2
//@[plain_flag_all] args: --races=off --plain=explore
//@[plain_flag_all] cflags: -DPLAIN_FLAG
//@[plain_flag_all] expect: verified
//@[plain_flag_all] executions: 2
//@[destroyed] args: -k --races=warn
//@[destroyed] cflags: -DDESTROYED
//@[destroyed] expect: bug
//@[destroyed] kind: destroyed-in-use uninitialized-object
//@[destroyed] executions: 1
//@[destroyed] failed: 1
//@[ordered_warn] args: --races=warn
//@[ordered_warn] cflags: -DORDERED
//@[ordered_warn] expect: bug
//@[ordered_warn] kind: use-after-free
//@[ordered_warn] executions: 1
//@[ordered_all] args: --races=off --plain=explore
//@[ordered_all] cflags: -DORDERED
//@[ordered_all] expect: bug
//@[ordered_all] kind: use-after-free
//@[ordered_all] executions: 1
//@[ordered_off] args: --races=off
//@[ordered_off] cflags: -DORDERED
//@[ordered_off] expect: verified
//@[ordered_off] executions: 1
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#if !defined FLAG && !defined PLAIN_FLAG && !defined DESTROYED && !defined ORDERED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *slot;
static void *one(void *unused) {
    int *mine = malloc(sizeof *mine);
    pthread_mutex_lock(&lock);
    slot = mine;
    pthread_mutex_unlock(&lock);
    *mine = 1;
    return unused;
}
static void *other(void *unused) {
    pthread_mutex_lock(&lock);
    int *taken = slot;
    slot = 0;
    pthread_mutex_unlock(&lock);
    free(taken);
    return unused;
}
static void end(void) { free(slot); }
#elif defined FLAG || defined PLAIN_FLAG
static int *block;
#ifdef FLAG
static atomic_int flag;
#define SET atomic_store_explicit(&flag, 1, memory_order_relaxed)
#define IS_SET atomic_load_explicit(&flag, memory_order_relaxed)
#else
static int flag;
#define SET flag = 1
#define IS_SET (flag == 1)
#endif
static int taken;
static void *one(void *unused) {
    *block = 1;
    __asm__ volatile("" ::: "memory");
    SET;
    return unused;
}
static void *other(void *unused) {
    if (IS_SET) {
        free(block);
        taken = 1;
    }
    return unused;
}
static void end(void) {
    if (!taken) free(block);
}
#elif defined DESTROYED
static sem_t posts;
static void *one(void *unused) {
    sem_post(&posts);
    return unused;
}
static void *other(void *unused) {
    sem_destroy(&posts);
    return unused;
}
static void end(void) {}
#else
static atomic_int runs;
int *volatile block_of_main;
static void *one(void *unused) {
    atomic_fetch_add(&runs, 1);
    return unused;
}
static void *other(void *unused) { return unused; }
static void end(void) {}
#endif

int main(void) {
    pthread_t a, b;
#if defined FLAG || defined PLAIN_FLAG
    block = malloc(sizeof *block);
#elif defined DESTROYED
    sem_init(&posts, 0, 0);
#endif
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, other, 0);
#ifdef ORDERED
    int *mine = malloc(16);
    block_of_main = mine;
    free(mine);
    __asm__ volatile("" : "+r"(mine));
    *mine = 3;
#endif
    pthread_join(a, 0);
    pthread_join(b, 0);
    end();
    return 0;
}
