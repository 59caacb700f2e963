// Create and join order what is before and after them; what main does in between races.
//@ revisions: before after between
//@[before] cflags: -DBEFORE=1
//@[before] expect: verified
//@[before] executions: 1
//@[after] cflags: -DAFTER=1
//@[after] expect: verified
//@[after] executions: 1
//@[between] cflags: -DBETWEEN=1
//@[between] expect: bug
//@[between] kind: data-race
#include <pthread.h>

int data;

static void *work(void *unused) {
    data++;
    return unused;
}

int main(void) {
    pthread_t thread;
#ifdef BEFORE
    data = 1;
#endif
    pthread_create(&thread, 0, work, 0);
#ifdef BETWEEN
    data = 1;
#endif
    pthread_join(thread, 0);
#ifdef AFTER
    data = 1;
#endif
    return 0;
}
