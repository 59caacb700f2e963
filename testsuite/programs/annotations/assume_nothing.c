// An assumption that no execution fulfils makes every test pass: nothing behind it was seen, so nothing is verified.
// *always*: the one execution is left. *race*: the writer stores once, so that the reader, whichever of the 2 orders,
// never sees 2. *sometimes*: it sees 1 in one order, so that what is behind the assumption was seen.
// *samples*: those that were asked for were drawn, and all were left. *within*: no preemption is needed for either
// order.
//@ revisions: always race sometimes samples within
//@ expect: incomplete
//@ executions: 0
//@ opt: O0 O1 O2
//@[always] cflags: -DASSUMED=0
//@[always] blocked: 1
//@[always] reason: no execution fulfils the assumptions
//@[race] cflags: -DASSUMED=(atomic_load(&x)==2)
//@[race] blocked: 2
//@[race] reason: no execution fulfils the assumptions
//@[sometimes] cflags: -DASSUMED=(atomic_load(&x)==1)
//@[sometimes] expect: verified
//@[sometimes] executions: 1
//@[sometimes] blocked: 1
//@[samples] cflags: -DASSUMED=(atomic_load(&x)==2)
//@[samples] args: --search=random --samples=7
//@[samples] blocked: 7
//@[samples] reason: no execution fulfils the assumptions
//@[within] cflags: -DASSUMED=(atomic_load(&x)==2)
//@[within] args: --bound=0
//@[within] blocked: 2
//@[within] reason: no execution fulfils the assumptions
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

atomic_int x;

static void *writer(void *unused) {
    atomic_store(&x, 1);
    return unused;
}

static void *reader(void *unused) {
    dpor_assume(ASSUMED);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
