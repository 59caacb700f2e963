// 40 threads that share nothing: one trace.
//@ expect: verified
//@ executions: 1
#include <pthread.h>

int cells[40];

static void *work(void *cell) {
    *(int *)cell = 1;
    return 0;
}

int main(void) {
    pthread_t threads[40];
    int sum = 0;
    for (int i = 0; i < 40; i++) pthread_create(&threads[i], 0, work, &cells[i]);
    for (int i = 0; i < 40; i++) pthread_join(threads[i], 0);
    for (int i = 0; i < 40; i++) sum += cells[i];
    return sum == 40 ? 0 : 1;
}
