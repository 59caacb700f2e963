// One thread prints to standard output, the other reads standard input: nothing is shared.
//@ expect: verified
//@ executions: 1
//@ stdin: z
//@ outputs: out\n
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

char got;

static void *print(void *unused) {
    puts("out");
    return unused;
}

static void *take(void *unused) {
    if (read(0, &got, 1) != 1) got = '?';
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, print, 0);
    pthread_create(&b, 0, take, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
