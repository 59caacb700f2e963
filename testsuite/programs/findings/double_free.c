// How a report of this kind looks: the second to come frees again.
//@ expect: bug
//@ kind: double-free
//@ golden: yes

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *block;

static void *first(void *unused) {
    pthread_mutex_lock(&mutex);
    free(block); //~ double-free
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t a, b;
    block = malloc(20);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, first, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
