// How a report of this kind looks: an index behind the end of a heap block.
//@ expect: bug
//@ kind: out-of-bounds
//@ golden: yes

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *block;
int next;

static void *first(void *unused) {
    pthread_mutex_lock(&mutex);
    block[next++] = 1; //~ out-of-bounds
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t a, b;
    block = malloc(sizeof(int));
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, first, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    free(block);
}
