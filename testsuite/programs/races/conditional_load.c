// The twin of speculated_load.c: the condition holds, and the read races with the write.
//@ expect: bug
//@ kind: data-race
//@ executions: 1
//@ opt: O0 O1 O2 O3
#include <pthread.h>

int cell;

__attribute__((noinline)) static int read_if(int condition) {
    return condition ? cell : 0; //~ race
}

static void *work(void *argument) {
    return (void *)(long)read_if(argument != 0);
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, &cell);
    cell = 1; //~ race
    pthread_join(thread, 0);
    return 0;
}
