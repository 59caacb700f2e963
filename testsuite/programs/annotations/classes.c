// A value that is only compared with constants is explored by the classes that the comparisons tell apart, whatever its
// type. By hand, each class is 1 execution; all in a thread of its own, so that nothing else is explored:
// [below] x < 5 and x == 9: below 5, 9, all others: 3.
// [switched] 1 and 2 lead to one place, 7 to another, all others to a third: 3.
// [assumed] 3 to 6, and what is below and above, which the assumption leaves: 1, 2 blocked.
// [short] as a char that C makes an int of: below 0, 10, all others: 3, though there are 256 values.
// [wide] an unsigned long at 1 << 40: below, at, above: 3.
// [digit] x - '0' < 10u: inside or outside: 2.
// [handed] from a function that returns it, to a function that tells negative, zero, positive: 3.
// [chosen] x, or 4 where x is below 0, is compared with 4 and 6: below 0 (4), 4, 6, all others; below 0 is told from 4
// by the first comparison: 4.
// [truth] a Boolean, and its negation: 2.
// [twice] two values, zero or not, each: 4.
// [unused] nobody looks at it: 1.
//@ revisions: below switched assumed short wide digit handed chosen truth twice unused
//@ expect: verified
//@ opt: O0 O2
//@[below] executions: 3
//@[below] cflags: -DBELOW
//@[below] outcomes: r=1 | r=2 | r=0
//@[switched] executions: 3
//@[switched] cflags: -DSWITCHED
//@[switched] outcomes: r=1 | r=2 | r=0
//@[assumed] executions: 1
//@[assumed] blocked: 2
//@[assumed] cflags: -DASSUMED
//@[short] executions: 3
//@[short] cflags: -DSHORT
//@[short] outcomes: r=1 | r=2 | r=0
//@[wide] executions: 3
//@[wide] cflags: -DWIDE
//@[wide] outcomes: r=1 | r=2 | r=0
//@[digit] executions: 2
//@[digit] cflags: -DDIGIT
//@[digit] outcomes: r=1 | r=0
//@[handed] executions: 3
//@[handed] cflags: -DHANDED
//@[handed] outcomes: r=-1 | r=1 | r=0
//@[chosen] executions: 4
//@[chosen] cflags: -DCHOSEN
//@[chosen] outcomes: r=4 *2 | r=6 | r=0
//@[truth] executions: 2
//@[truth] cflags: -DTRUTH
//@[truth] outcomes: r=1 | r=2
//@[twice] executions: 4
//@[twice] cflags: -DTWICE
//@[twice] outcomes: r=0 | r=1 | r=2 | r=3
//@[unused] executions: 1
//@[unused] cflags: -DUNUSED
#include <dpor.h>
#include <pthread.h>

_Bool __VERIFIER_nondet_bool(void);
char __VERIFIER_nondet_char(void);
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
unsigned long __VERIFIER_nondet_ulong(void);
void __VERIFIER_assume(int);

#ifdef HANDED
__attribute__((noinline)) static int any(void) { return __VERIFIER_nondet_int(); }

__attribute__((noinline)) static int sign(int of) {
    if (of < 0) return -1;
    return of > 0;
}
#endif

static int result(void) {
#if defined BELOW
    int x = __VERIFIER_nondet_int();
    if (x < 5) return 1;
    if (x == 9) return 2;
#elif defined SWITCHED
    switch (__VERIFIER_nondet_uint()) {
    case 1:
    case 2:
        return 1;
    case 7:
        return 2;
    }
#elif defined ASSUMED
    unsigned x = __VERIFIER_nondet_uint();
    __VERIFIER_assume(x > 2 && x < 7);
#elif defined SHORT
    signed char x = __VERIFIER_nondet_char();
    if (x < 0) return 1;
    if (x == 10) return 2;
#elif defined WIDE
    unsigned long x = __VERIFIER_nondet_ulong();
    if (x < 1ul << 40) return 1;
    if (x == 1ul << 40) return 2;
#elif defined DIGIT
    int x = __VERIFIER_nondet_int();
    if ((unsigned)x - '0' < 10u) return 1;
#elif defined HANDED
    return sign(any());
#elif defined CHOSEN
    int x = __VERIFIER_nondet_int();
    x = x < 0 ? 4 : x;
    if (x == 4) return 4;
    if (x == 6) return 6;
#elif defined TRUTH
    _Bool x = __VERIFIER_nondet_bool();
    if (x) return 1;
    if (!x) return 2;
#elif defined TWICE
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    return (x != 0) + 2 * (y != 0);
#else
    (void)__VERIFIER_nondet_int();
#endif
    return 0;
}

static void *work(void *unused) {
    dpor_observe("r", result());
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
}
