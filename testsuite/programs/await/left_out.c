// A turn in vain that is left out may look where the turn behind it does not. The waiter leaves with 1 in `told` only if
// a is 0 and b is 1, which no single moment shows: its turn begins while all is as before. It looks at `third` only in a
// turn that finds both 0. The third thread accesses `third` plainly if it reads 1 in `told`; in relaxed order that tells
// nothing of the turns before, so a look of one of them races.
//
// Wrong ones. Wrong: a plain write, beside a load. Reader: a plain read, beside an exchange that writes what was there.
// The same with the classic search, with every interleaving, without reductions, and with every turn.
//
// Right: `told` is released and acquired. As a plain access meets what the loop looks at, a turn in vain comes twice
// before the thread goes no further. What the turns find, (a, b):
//   (1, 0), (1, 1) or (0, 1) in the first turn:         3
//   (0, 0), then one of these:                          3
// and in the two with (0, 1) `told` is read before or after it is written, 2 more: 8 executions.
//   (0, 0), (0, 0), and no further: 1 is blocked.
// Optimized: the optimizer lets the turn begin elsewhere, so how often it comes is another number.
// Alone: without a third thread nothing meets the looks: (1, 0), (1, 1) or (0, 1) in the first turn, 3 executions; or
// (0, 0), and no further: 1 is blocked. With every turn the thread waits for a or b behind (0, 0). Then it finds
// (1, 0), or (1, 1) with its first access, which waits, before or behind b's store: 3 more.
// Counted by brute force, too: testsuite/tests/suite/waiting_for_others.rs.
//@ revisions: wrong classic dfs none every_turn reader right optimized alone alone_every_turn
//@ opt: O0 O2
//@[wrong] expect: bug
//@[wrong] kind: data-race
//@[classic] expect: bug
//@[classic] kind: data-race
//@[classic] args: --search=classic
//@[dfs] expect: bug
//@[dfs] kind: data-race
//@[dfs] args: --search=dfs
//@[none] expect: bug
//@[none] kind: data-race
//@[none] args: --reductions=none
//@[every_turn] expect: bug
//@[every_turn] kind: data-race
//@[every_turn] args: --reductions=commute,observers,every-turn
//@[reader] expect: bug
//@[reader] kind: data-race
//@[reader] cflags: -DREADER
//@[right] opt: O0
//@[right] expect: verified
//@[right] executions: 8
//@[right] blocked: 1
//@[right] cflags: -DTELL=release -DHEAR=acquire
//@[optimized] opt: O2
//@[optimized] expect: verified
//@[optimized] cflags: -DTELL=release -DHEAR=acquire
//@[alone] expect: verified
//@[alone] executions: 3
//@[alone] blocked: 1
//@[alone] cflags: -DALONE
//@[alone_every_turn] expect: verified
//@[alone_every_turn] executions: 6
//@[alone_every_turn] args: --reductions=none,every-turn
//@[alone_every_turn] cflags: -DALONE
#include <pthread.h>
#include <stdatomic.h>

#ifndef TELL
#define TELL relaxed
#define HEAR relaxed
#endif
#define ORDER_(word) memory_order_##word
#define ORDER(word) ORDER_(word)

static _Atomic int a, b, third, told;
static int seen;

static void *waiter(void *unused) {
    for (;;) {
        int x = atomic_load(&a), y = atomic_load(&b);
        if (x == 0 && y == 0) {
#ifdef READER
            atomic_exchange(&third, 0);
#else
            (void)atomic_load_explicit(&third, memory_order_relaxed);
#endif
            continue;
        }
        if (x == 0)
            atomic_store_explicit(&told, 1, ORDER(TELL));
        return unused;
    }
}

static void *writer(void *unused) {
    atomic_store(&a, 1);
    atomic_store(&b, 1);
    return unused;
}

#ifndef ALONE
static void *third_thread(void *unused) {
    if (atomic_load_explicit(&told, ORDER(HEAR)) == 1)
#ifdef READER
        seen = *(int *)&third;
#else
        *(int *)&third = 1;
#endif
    return unused;
}
#endif

int main(void) {
    pthread_t threads[3];
    int n = 0;
    pthread_create(&threads[n++], 0, waiter, 0);
    pthread_create(&threads[n++], 0, writer, 0);
#ifndef ALONE
    pthread_create(&threads[n++], 0, third_thread, 0);
#endif
    while (n)
        pthread_join(threads[--n], 0);
    return seen;
}
