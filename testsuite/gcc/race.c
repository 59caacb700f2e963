// Two threads add to a variable without a lock.
// One execution: the race is found in the first, and ends the search.
//@ expect: bug
//@ kind: data-race
//@ executions: 1
//@ opt: O0 O2
#include <pthread.h>
static int counter;
static void *add(void *unused) {
    counter++; //~ race
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
