// Reading together is no race, writing the same value is one.
//@ revisions: reads writes
//@[reads] expect: verified
//@[reads] executions: 1
//@[writes] cflags: -DWRITE=1
//@[writes] expect: bug
//@[writes] kind: data-race
#include <pthread.h>

int data = 7;

static void *work(void *slot) {
#ifdef WRITE
    data = 7;
#endif
    *(int *)slot = data;
    return 0;
}

int main(void) {
    pthread_t a, b;
    int seen[2];
    pthread_create(&a, 0, work, &seen[0]);
    pthread_create(&b, 0, work, &seen[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return seen[0] + seen[1] == 14 ? 0 : 1;
}
