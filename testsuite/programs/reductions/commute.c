// Four threads change five atomics and look at no result: in whatever order they do, the values are
// the same. With the reduction 1 execution, at every level of optimization: what the compiler stores
// and never loads again is not looked at.
//@ expect: verified
//@ executions: 1
//@ args: --reductions=commute
//@ opt: O0 O1 O2
//@ outcomes: sum=4 bits=15 last=4 old=4 most=4 *1
//@ smoke: yes
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int sum, bits, last;
static _Atomic unsigned char most;
static int old;

static void *change(void *number) {
    int n = (int)(intptr_t)number;
    sum++;
    atomic_fetch_or(&bits, 1 << n);
    atomic_fetch_add_explicit(&last, 1, memory_order_release);
    __sync_fetch_and_add(&old, 2);
    __sync_sub_and_fetch(&old, 1);
    most += 1;
    return 0;
}

int main(void) {
    pthread_t threads[4];
    for (intptr_t i = 0; i < 4; i++) pthread_create(&threads[i], 0, change, (void *)i);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    dpor_observe("sum", sum);
    dpor_observe("bits", bits);
    dpor_observe("last", last);
    dpor_observe("old", old);
    dpor_observe("most", most);
    return 0;
}
