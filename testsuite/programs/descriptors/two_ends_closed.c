// Two descriptors of the end for writing, closed by two threads: the reader sees the end when both are
// gone, and never before. Closes K1 T1 and K2 T2, the read R after K1 and K2. K1 and K2 in two
// orders, T1 and T2 in two orders that do not depend on it: T1 T2 with K1 K2, and so on, as each
// thread's K comes before its own T only. 4 executions.
//@ expect: verified
//@ executions: 4
#include <dpor.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2], copy;
int closed[2];

static void *close_one(void *which) {
    closed[which != 0] = 1;
    dpor_assert(close(which ? copy : ends[1]) == 0);
    return 0;
}

int main(void) {
    pthread_t a, b;
    char byte;
    pipe(ends);
    copy = dup(ends[1]);
    pthread_create(&a, 0, close_one, 0);
    pthread_create(&b, 0, close_one, &copy);
    dpor_assert(read(ends[0], &byte, 1) == 0);
    dpor_assert(closed[0] == 1 && closed[1] == 1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
