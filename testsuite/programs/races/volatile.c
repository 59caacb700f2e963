// A volatile flag. As an atomic (default) it is a seq_cst event: two traces, no race. As plain
// memory it is itself a race.
//@ revisions: atomic plain
//@[atomic] expect: verified
//@[atomic] executions: 2
//@[atomic] note: 2 volatile accesses are taken for atomic ones
//@[plain] args: --volatile=plain
//@[plain] expect: bug
//@[plain] kind: data-race
#include <pthread.h>

static volatile int flag;
int data, seen;

static void *writer(void *unused) {
    data = 1;
    flag = 1;
    return unused;
}

static void *reader(void *unused) {
    if (flag) seen = data;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
