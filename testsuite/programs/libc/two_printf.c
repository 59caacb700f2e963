// Two threads print a line each: the order of output is shared. 2 executions, 2 outputs.
//@ expect: verified
//@ executions: 2
//@ outputs: left\nright\n | right\nleft\n
//@ smoke: yes
#include <pthread.h>
#include <stdio.h>

static void *left(void *unused) {
    printf("left\n");
    return unused;
}

static void *right(void *unused) {
    printf("right\n");
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
