// Two threads count without a lock.
//@ expect: bug
//@ kind: data-race
//@ opt: O0 O1 O2 O3
//@ smoke: yes
#include <pthread.h>

int count;

static void *work(void *unused) {
    count++; //~ race
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
