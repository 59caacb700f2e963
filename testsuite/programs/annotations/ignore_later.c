// As ignore.c, behind an access that is not ignored (within), or in front of one to the same variable (behind).
//@ revisions: within behind
//@[within] cflags: -DBEHIND=0
//@[within] expect: verified
//@[behind] cflags: -DBEHIND=1
//@[behind] expect: bug
//@[behind] kind: data-race
#include <dpor.h>
#include <pthread.h>

int statistics, own[2];

static void *work(void *mine) {
    int *number = mine;
    ++*number;
    dpor_ignore_begin();
    statistics++;
    dpor_ignore_end();
    if (BEHIND) statistics++;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, &own[0]);
    pthread_create(&b, 0, work, &own[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
