// Who has closed a descriptor knows that it is closed, and does not wait for anything.
//@ expect: verified
//@ executions: 1
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    uint64_t value = 1;
    int ends[2];
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);
    int counter = eventfd(0, 0);
    dpor_assert(close(counter) == 0);
    dpor_assert(read(counter, &value, 8) == -1 && errno == EBADF);
    dpor_assert(pipe(ends) == 0 && close(ends[0]) == 0);
    dpor_assert(read(ends[0], &value, 1) == -1 && errno == EBADF);
    // The number is given again, and names something else.
    counter = eventfd(1, 0);
    dpor_assert(counter == ends[0] && read(counter, &value, 8) == 8 && value == 1);
    return 0;
}
