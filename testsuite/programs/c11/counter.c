// Two threads count under a C11 mutex: the two sections have 2 orders. What their functions return
// arrives as it is, negative numbers included.
//@ expect: verified
//@ executions: 2
//@ opt: O0 O2
#include <dpor.h>
#include <threads.h>

static mtx_t mutex;
int count;

static int add(void *by) {
    mtx_lock(&mutex);
    count += *(int *)by;
    mtx_unlock(&mutex);
    return -*(int *)by;
}

int main(void) {
    thrd_t threads[2];
    int by[2] = {1, 2}, results[2];
    dpor_assert(mtx_init(&mutex, mtx_plain) == thrd_success);
    for (int i = 0; i < 2; i++)
        dpor_assert(thrd_create(&threads[i], add, &by[i]) == thrd_success);
    for (int i = 0; i < 2; i++) dpor_assert(thrd_join(threads[i], &results[i]) == thrd_success);
    dpor_assert(results[0] == -1 && results[1] == -2);
    dpor_assert(count == 3);
    mtx_destroy(&mutex);
    return 0;
}
