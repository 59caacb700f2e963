// How a report of this kind looks: two threads add without a lock.
//@ expect: bug
//@ kind: data-race
//@ golden: yes

#include <pthread.h>

static int counter;

static void *first(void *unused) {
    counter++; //~ race
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, first, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
