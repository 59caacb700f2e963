// Blocks of threads that come and go: each frees what main allocated, and main what the thread did, with another size in
// a block that is aligned. *wrong*: both free the same one.
//@ revisions: right wrong
//@ args: --states --max-states 100000
//@ checkpoint: snapshot
//@ parts: no
//@ opt: O0 O2
//@[right] expect: verified
//@[wrong] expect: bug
//@[wrong] kind: double-free
//@[wrong] cflags: -DWRONG
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static void *replace(void *given) {
    free(given);
    return aligned_alloc(256, 512);
}

int main(void) {
    for (;;) {
        pthread_t threads[2];
        void *made, *given[2] = {malloc(40), malloc(40)};
        for (int k = 0; k < 2; k++)
#ifdef WRONG
            pthread_create(&threads[k], 0, replace, given[0]);
#else
            pthread_create(&threads[k], 0, replace, given[k]);
#endif
        for (int k = 0; k < 2; k++) {
            pthread_join(threads[k], &made);
            free(made);
        }
    }
}
