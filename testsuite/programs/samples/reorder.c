// Three threads set a, then b; a fourth reads them in the same order. It finds a half done pair only if a
// setter has made its first store before the checker's first load and the second not before its
// second, and no other setter has made its second one.
// The name and the idea are those of the "reorder" programs of the concurrency testing literature.
//@ expect: bug
//@ kind: assertion
//@ checkpoint: snapshot
//@ revisions: optimal pct
//@[pct] args: --search=pct
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef SETTERS
#define SETTERS 3
#endif

static _Atomic int a, b;

static void *set(void *unused) {
    a = 1;
    b = -1;
    return unused;
}

static void *check(void *unused) {
    int first = a, second = b;
    assert((first == 0 && second == 0) || (first == 1 && second == -1) || (first == 0 && second == -1));
    return unused;
}

int main(void) {
    pthread_t setters[SETTERS], checker;
    for (int i = 0; i < SETTERS; i++)
        pthread_create(&setters[i], 0, set, 0);
    pthread_create(&checker, 0, check, 0);
    for (int i = 0; i < SETTERS; i++)
        pthread_join(setters[i], 0);
    pthread_join(checker, 0);
}
