// pthread_exit ends a thread from deep in its calls, cleanup handlers run, join gets the value.
//@ expect: verified
//@ executions: 1
#include <dpor.h>
#include <pthread.h>

int cleaned;

static void clean(void *by) {
    cleaned += *(int *)by;
}

static __attribute__((noinline)) void deep(int depth) {
    if (depth == 0) pthread_exit((void *)7);
    deep(depth - 1);
}

static void *work(void *unused) {
    int by = 3;
    pthread_cleanup_push(clean, &by);
    deep(5);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, &result);
    dpor_assert(result == (void *)7);
    dpor_assert(cleaned == 3);
    return 0;
}
