// Two threads write a record each, 4 bytes at once: never interleaved (PIPE_BUF). Main reads when
// both have ended. Two orders: 2 executions.
//@ expect: verified
//@ executions: 2
//@ outcomes: records=11112222 *1 | records=22221111 *1
#include <dpor.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *record) {
    dpor_assert(write(ends[1], record, 4) == 4);
    return 0;
}

int main(void) {
    pthread_t a, b;
    char all[9] = "";
    dpor_assert(pipe(ends) == 0);
    pthread_create(&a, 0, writer, "1111");
    pthread_create(&b, 0, writer, "2222");
    pthread_join(a, 0);
    pthread_join(b, 0);
    dpor_assert(read(ends[0], all, 8) == 8);
    dpor_observe("records", atoi(all));
    return 0;
}
