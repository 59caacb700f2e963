// One descriptor is waited for directly: the poll comes after the write, then the read. 1 execution.
//@ expect: verified
//@ executions: 1
#include <dpor.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int told;

static void *writer(void *unused) {
    told = 1;
    dpor_assert(write(ends[1], "x", 1) == 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    char byte;
    dpor_assert(pipe(ends) == 0);
    struct pollfd one = {ends[0], POLLIN, 0};
    pthread_create(&thread, 0, writer, 0);
    dpor_assert(poll(&one, 1, -1) == 1);
    dpor_assert(one.revents == POLLIN && told == 1);
    dpor_assert(read(ends[0], &byte, 1) == 1);
    pthread_join(thread, 0);
    return 0;
}
