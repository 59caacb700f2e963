// The read is behind a condition that no execution fulfils, so the write races with nothing. An
// optimizer may read anyway and throw the value away, which is no access of the program's.
// Nothing that the threads do is dependent: one execution.
//@ expect: verified
//@ executions: 1
//@ opt: O0 O1 O2 O3
#include <pthread.h>

int cell;

__attribute__((noinline)) static int read_if(int condition) {
    return condition ? cell : 0;
}

static void *work(void *argument) {
    return (void *)(long)read_if(argument != 0);
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    cell = 1;
    pthread_join(thread, 0);
    return 0;
}
