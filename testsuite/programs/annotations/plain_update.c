// An update is two events where plain accesses are events: another thread's come in between. Both read 0, or one
// reads what the other wrote: either may be the last to write. So 4.
//@ expect: verified
//@ args: --plain=explore --races=off
//@ executions: 4
//@ outcomes: x=1 *1 | x=2 *1 | x=3 *2
//@ opt: O0 O2
#include <dpor.h>
#include <pthread.h>

int x;

static void *add(void *number) {
    x += *(int *)number;
    return 0;
}

int main(void) {
    static int one = 1, two = 2;
    pthread_t a, b;
    pthread_create(&a, 0, add, &one);
    pthread_create(&b, 0, add, &two);
    pthread_join(a, 0);
    pthread_join(b, 0);
    dpor_observe("x", x);
    return 0;
}
