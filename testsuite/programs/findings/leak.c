// How a report of this kind looks: the block of whoever comes first is lost.
//@ expect: verified
//@ kind: leak
//@ golden: yes

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *block;

static void *first(void *unused) {
    pthread_mutex_lock(&mutex);
    block = malloc(16);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, first, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    free(block);
}
