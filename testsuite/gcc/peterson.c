// Peterson's lock, whose loop looks at two places: it comes to an end, and nobody is let in beside the other.
// wrong: who gives way forgets to say so, and both wait.
//@ revisions: right wrong
//@[right] expect: verified
//@[wrong] expect: bug
//@[wrong] kind: livelock
//@[wrong] cflags: -DWRONG
//@ opt: O0 O2
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag[2], turn;
static int inside;
static void *enter(void *argument) {
    int me = (int)(long)argument;
    flag[me] = 1;
#ifndef WRONG
    turn = 1 - me;
#else
    turn = 2;
#endif
    while (flag[1 - me] && turn != me) {
    }
    inside++;
    flag[me] = 0;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, enter, (void *)0);
    pthread_create(&b, 0, enter, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return inside != 2;
}
