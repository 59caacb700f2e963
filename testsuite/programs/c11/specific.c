// Thread-specific values: each thread has its own, and the destructor gets it at the thread's end,
// also if it ends by thrd_exit. The destructors' sums are atomic additions that nobody reads before
// the joins, 2 orders of them. thrd_current and thrd_equal tell threads apart.
//@ expect: verified
//@ executions: 2
#include <dpor.h>
#include <stdatomic.h>
#include <threads.h>

static tss_t key;
static atomic_int sum;

static void destroy(void *value) {
    atomic_fetch_add(&sum, *(int *)value);
}

static int work(void *value) {
    dpor_assert(tss_get(key) == 0);
    dpor_assert(tss_set(key, value) == thrd_success);
    dpor_assert(tss_get(key) == value);
    if (*(int *)value == 2) thrd_exit(-7);
    return 7;
}

int main(void) {
    thrd_t threads[2];
    int values[2] = {1, 2}, results[2];
    dpor_assert(tss_create(&key, destroy) == thrd_success);
    for (int i = 0; i < 2; i++) thrd_create(&threads[i], work, &values[i]);
    dpor_assert(!thrd_equal(threads[0], threads[1]));
    dpor_assert(!thrd_equal(threads[0], thrd_current()));
    for (int i = 0; i < 2; i++) thrd_join(threads[i], &results[i]);
    dpor_assert(results[0] == 7 && results[1] == -7);
    dpor_assert(sum == 3);
    tss_delete(key);
    return 0;
}
