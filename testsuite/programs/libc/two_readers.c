// Two threads read a byte each of one descriptor: the offset is shared, so whoever is first gets
// the first byte. 2 executions.
//@ expect: verified
//@ executions: 2
//@ stdin: xy
//@ outcomes: a=120 b=121 *1 | a=121 b=120 *1
#include <dpor.h>
#include <pthread.h>
#include <unistd.h>

char got[2];

static void *reader(void *slot) {
    if (read(0, slot, 1) != 1) *(char *)slot = '?';
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, reader, &got[0]);
    pthread_create(&b, 0, reader, &got[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    dpor_observe("a", got[0]);
    dpor_observe("b", got[1]);
    return 0;
}
