// A loop that looks at two places and ends whatever it finds between: it waits for b to be 2 or 3, and finds both. Let T
// be the thread. Its turn may begin before b is 2: T reads a = 1, b = 1, waits for a or b, reads a = 1, b = 2 or 3; or a before
// b is 2, and b = 2 or 3 after it; all looks at a are equivalent, for it never changes. So the first look at b finds 2, 3, or 1;
// and then, when it waits for b, the wait comes before or after 3: after 2 it reads 2 or 3, after 3 it reads 3: 2 + 3 = 5.
//@ expect: verified
//@ executions: 5
//@ opt: O0 O1 O2
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
atomic_int a, b;

static void *work(void *u) {
    while (atomic_load(&a) && atomic_load(&b) < 2) {
    }
    return u;
}

int main(void) {
    pthread_t t;
    atomic_store(&a, 1);
    atomic_store(&b, 1);
    pthread_create(&t, NULL, work, NULL);
    atomic_store(&b, 2);
    atomic_store(&b, 3);
    pthread_join(t, NULL);
}
