//! A block that main allocated before there were threads is named as what it is.
//@ expect: bug
//@ kind: data-race
//@ message: a heap block of 24 bytes
//@ opt: O0 O2
#include <pthread.h>
#include <stdlib.h>

static int *block;

static void *writer(void *unused) {
    block[3] = 1; //~ race
    return 0;
}

int main(void) {
    block = malloc(24);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, writer, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    free(block);
    return 0;
}
