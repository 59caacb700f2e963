// The same without the mutex: a data race.
//@ expect: bug
//@ kind: data-race
#include <threads.h>

int count;

static int add(void *unused) {
    count++; //~ race
    return unused != 0;
}

int main(void) {
    thrd_t threads[2];
    for (int i = 0; i < 2; i++) thrd_create(&threads[i], add, 0);
    for (int i = 0; i < 2; i++) thrd_join(threads[i], 0);
    return 0;
}
