// A writer sets the first number under one lock, then the second under another. A reader that comes between
// the two sees a first number without its second.
// As in the "twostage" programs of the concurrency testing literature.
//@ expect: bug
//@ kind: assertion
//@ checkpoint: snapshot
//@ revisions: optimal surw
//@[surw] args: --search=surw
#include <assert.h>
#include <pthread.h>

#ifndef WRITERS
#define WRITERS 1
#endif

static int first, second;
static pthread_mutex_t of_first = PTHREAD_MUTEX_INITIALIZER, of_second = PTHREAD_MUTEX_INITIALIZER;

static void *write_both(void *unused) {
    pthread_mutex_lock(&of_first);
    first = 1;
    pthread_mutex_unlock(&of_first);
    pthread_mutex_lock(&of_second);
    second = 2;
    pthread_mutex_unlock(&of_second);
    return unused;
}

static void *read_both(void *unused) {
    pthread_mutex_lock(&of_first);
    int one = first;
    pthread_mutex_unlock(&of_first);
    if (one == 0)
        return unused;
    pthread_mutex_lock(&of_second);
    int two = second;
    pthread_mutex_unlock(&of_second);
    assert(two == one + 1);
    return unused;
}

int main(void) {
    pthread_t writers[WRITERS], reader;
    for (int i = 0; i < WRITERS; i++)
        pthread_create(&writers[i], 0, write_both, 0);
    pthread_create(&reader, 0, read_both, 0);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(writers[i], 0);
    pthread_join(reader, 0);
}
