// Four threads that take a lock TIMES times each, with memory and output of their own in between: as long a
// search as is wanted. (4 TIMES)! / TIMES!^4 orders: 24 with one, 8! / 2^4 = 2,520 with two.
//@ expect: verified
//@ revisions: once twice
//@[once] cflags: -DTIMES=1
//@[once] executions: 24
//@[twice] cflags: -DTIMES=2
//@[twice] executions: 2520
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int taken;

static void *work(void *unused) {
    for (int i = 0; i < TIMES; i++) {
        char *text = malloc(100);
        memset(text, 'x', 99);
        text[99] = 0;
        pthread_mutex_lock(&mutex);
        taken++;
        printf("%.9s\n", text);
        pthread_mutex_unlock(&mutex);
        free(text);
    }
    return unused;
}

int main(void) {
    pthread_t threads[4];
    for (int t = 0; t < 4; t++) pthread_create(&threads[t], 0, work, 0);
    for (int t = 0; t < 4; t++) pthread_join(threads[t], 0);
    return taken != 4 * TIMES;
}
