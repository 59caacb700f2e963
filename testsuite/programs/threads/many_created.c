// 1,000 threads one after the other, and 63 besides the first one alive at once. They share nothing: 1.
//@ expect: verified
//@ executions: 1
#include <dpor.h>
#include <pthread.h>

static void *work(void *cell) {
    ++*(int *)cell;
    return cell;
}

int main(void) {
    pthread_t threads[63];
    int count = 0, cells[63] = {0}, sum = 0;
    for (int i = 0; i < 1000; i++) {
        pthread_create(&threads[0], 0, work, &count);
        pthread_join(threads[0], 0);
    }
    dpor_assert(count == 1000);
    for (int i = 0; i < 63; i++) pthread_create(&threads[i], 0, work, &cells[i]);
    for (int i = 0; i < 63; i++) pthread_join(threads[i], 0);
    for (int i = 0; i < 63; i++) sum += cells[i];
    dpor_assert(sum == 63);
    return 0;
}
