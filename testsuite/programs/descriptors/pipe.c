// One thread writes two bytes, another reads them, one at a time. A read waits until there is
// something, so the only freedom is whether the second write comes before the first read is over:
// W1 W2 R1 R2, W1 R1 W2 R2. 2 executions, one outcome.
//@ expect: verified
//@ executions: 2
//@ outcomes: first=1 second=2 *2
#include <dpor.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *unused) {
    char one = 1, two = 2;
    dpor_assert(write(ends[1], &one, 1) == 1);
    dpor_assert(write(ends[1], &two, 1) == 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    char first = 0, second = 0;
    dpor_assert(pipe(ends) == 0);
    pthread_create(&thread, 0, writer, 0);
    dpor_assert(read(ends[0], &first, 1) == 1);
    dpor_assert(read(ends[0], &second, 1) == 1);
    pthread_join(thread, 0);
    dpor_observe("first", first);
    dpor_observe("second", second);
    return 0;
}
