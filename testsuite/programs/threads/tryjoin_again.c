// A number that a tryjoin gave back serves the next thread; the second question is about that one.
// First question: ended or not (then a join). Second: the same. 2 * 2.
//@ expect: verified
//@ executions: 4
#define _GNU_SOURCE
#include <dpor.h>
#include <pthread.h>

static void *work(void *argument) {
    return argument;
}

int main(void) {
    for (long i = 0; i < 2; i++) {
        pthread_t thread;
        void *result;
        pthread_create(&thread, 0, work, (void *)i);
        if (pthread_tryjoin_np(thread, &result)) pthread_join(thread, &result);
        dpor_assert(result == (void *)i);
    }
    return 0;
}
