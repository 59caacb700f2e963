// Six orders of three additions, cut after four.
//@ golden: yes
//@ expect: incomplete
//@ args: --max-executions 4
//@ executions: 4
#include <pthread.h>
#include <stdatomic.h>

static atomic_int cell;
int seen[3];

static void *work(void *slot) {
    *(int *)slot = atomic_fetch_add(&cell, 1);
    return 0;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, &seen[i]);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
