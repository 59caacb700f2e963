// Who looks at the result of an addition sees how many came before: all 4! orders, reduction or not.
// An exchange does not commute although nobody looks at its result: the last one stays. Two orders of
// the two that exchange, whatever the others do: 4! * 2.
//@ expect: verified
//@ executions: 48
//@ args: --reductions=commute
//@ opt: O0 O2
//@ outcomes-distinct: 48
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int tickets, last;
static int ticket[4];

static void *draw(void *number) {
    int n = (int)(intptr_t)number;
    ticket[n] = atomic_fetch_add(&tickets, 1);
    return 0;
}

static void *exchange(void *number) {
    atomic_exchange(&last, (int)(intptr_t)number);
    return 0;
}

int main(void) {
    pthread_t threads[6];
    for (intptr_t i = 0; i < 4; i++) pthread_create(&threads[i], 0, draw, (void *)i);
    for (intptr_t i = 4; i < 6; i++) pthread_create(&threads[i], 0, exchange, (void *)i);
    for (int i = 0; i < 6; i++) pthread_join(threads[i], 0);
    for (int i = 0; i < 4; i++) dpor_observe((const char *[]){"a", "b", "c", "d"}[i], ticket[i]);
    dpor_observe("last", last);
    return 0;
}
