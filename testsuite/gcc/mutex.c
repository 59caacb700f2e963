// Two critical sections: two orders. No mark of the pass tells that the mutex is initialized.
//@ expect: verified
//@ executions: 2
//@ opt: O0 O2
//@ outputs: 2\n
#include <pthread.h>
#include <stdio.h>
static int counter;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *unused) {
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    printf("%d\n", counter);
    return 0;
}
