// Three threads write one variable with atomic stores; main joins them and gives its address to libc,
// which reads it without anybody seeing. The last write is seen, so each of the three may be last: 3
// executions of 3! orders, each with an output of its own.
//@ expect: verified
//@ executions: 3
//@ outputs: a | b | c
//@ args: --reductions=commute,observers
//@ smoke: yes
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

static atomic_int x;

static void *write_it(void *letter) {
    atomic_store(&x, (int)(intptr_t)letter);
    return 0;
}

int main(void) {
    pthread_t threads[3];
    for (intptr_t i = 0; i < 3; i++) pthread_create(&threads[i], 0, write_it, (void *)('a' + i));
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    fwrite(&x, 1, 1, stdout);
    return 0;
}
