//! A variable on main's stack that two threads write: named by whose stack it is, as the address
//! depends on the environment.
//@ expect: bug
//@ kind: data-race
//@ message: data race on variable, on the stack of thread 0
//@ opt: O0 O2
#include <pthread.h>

static void *writer(void *variable) {
    *(int *)variable = 1; //~ race
    return 0;
}

int main(void) {
    int variable = 0;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, writer, &variable);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return variable - 1;
}
