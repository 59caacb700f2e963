// As left_out.c, where the turns lock: a turn in vain of the waiter looks at `third`, which the last one does not. The third
// thread accesses `third` only if it reads 1 in `told`; in relaxed order that tells nothing of the turns before, so a look
// of one of them races with it. A turn in vain is explored as the last thing of its thread only, and then `told` is
// never 1: with accesses in relaxed order it comes twice before that.
//
// Plain: the turn reads `extra` plainly. The same with the classic search, with every interleaving, without reductions.
// Right: `told` is released and acquired, and nothing is relaxed. By hand: the setter before the waiter, and `told` is read
// before or after it is written, 2; the waiter before the setter, and it goes no further, 1 blocked.
//@ revisions: wrong plain classic dfs none right
//@ opt: O0 O2
//@[wrong] expect: bug
//@[wrong] kind: data-race
//@[plain] expect: bug
//@[plain] kind: data-race
//@[plain] cflags: -DPLAIN
//@[plain] opt: O0
//@[classic] expect: bug
//@[classic] kind: data-race
//@[classic] args: --search=classic
//@[dfs] expect: bug
//@[dfs] kind: data-race
//@[dfs] args: --search=dfs
//@[none] expect: bug
//@[none] kind: data-race
//@[none] args: --reductions=none
//@[right] expect: verified
//@[right] executions: 2
//@[right] blocked: 1
//@[right] cflags: -DTELL=release -DHEAR=acquire -DLOOK=seq_cst
//@[right] opt: O0
#include <pthread.h>
#include <stdatomic.h>

#ifndef TELL
#define TELL relaxed
#define HEAR relaxed
#define LOOK relaxed
#endif
#define ORDER_(word) memory_order_##word
#define ORDER(word) ORDER_(word)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int flag, extra;
static _Atomic int third, told;

static void *waiter(void *unused) {
    for (;;) {
        pthread_mutex_lock(&mutex);
        int found = flag;
        pthread_mutex_unlock(&mutex);
        if (found) break;
#ifdef PLAIN
        int read = extra;
        (void)read;
#else
        (void)atomic_load_explicit(&third, ORDER(LOOK));
#endif
    }
    atomic_store_explicit(&told, 1, ORDER(TELL));
    return unused;
}

static void *setter(void *unused) {
    pthread_mutex_lock(&mutex);
    flag = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *third_thread(void *unused) {
    if (atomic_load_explicit(&told, ORDER(HEAR)) == 1)
#ifdef PLAIN
        extra = 1;
#else
        *(int *)&third = 1;
#endif
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, waiter, 0);
    pthread_create(&threads[1], 0, setter, 0);
    pthread_create(&threads[2], 0, third_thread, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
