// i += j and j += i, three times each, by two threads. Where they take turns the numbers are the largest, those of
// Fibonacci: from 1 and 1, after six additions, the larger is 1, 1, 2, 3, 5, 8, 13, 21: the eighth.
// Only the two strict alternations reach it.
//@ expect: bug
//@ kind: assertion
//@ checkpoint: snapshot
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { TURNS = 3, LARGEST = 21 };

static _Atomic int i = 1, j = 1;

static void *add_to_i(void *unused) {
    for (int turn = 0; turn < TURNS; turn++)
        i = i + j;
    return unused;
}

static void *add_to_j(void *unused) {
    for (int turn = 0; turn < TURNS; turn++)
        j = j + i;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add_to_i, 0);
    pthread_create(&b, 0, add_to_j, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(i < LARGEST && j < LARGEST);
}
