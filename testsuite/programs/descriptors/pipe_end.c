// The last writer closes: the reader sees the end of the data, in every order. The reader waits for
// a byte or the close. Events on the pipe: write W and close C of one thread, reads R1 (the byte)
// and R2 (the end) of the other. R1 comes after W; R2 after C. W C R1 R2, W R1 C R2: 2 executions.
// That the data was written before is known to the race detector: `told` is not atomic.
//@ expect: verified
//@ executions: 2
#include <dpor.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int told, closed;

static void *writer(void *unused) {
    told = 1;
    dpor_assert(write(ends[1], "x", 1) == 1);
    closed = 1;
    dpor_assert(close(ends[1]) == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    char byte = 0;
    dpor_assert(pipe(ends) == 0);
    pthread_create(&thread, 0, writer, 0);
    dpor_assert(read(ends[0], &byte, 1) == 1 && byte == 'x');
    dpor_assert(told == 1);
    dpor_assert(read(ends[0], &byte, 1) == 0);
    dpor_assert(closed == 1);
    pthread_join(thread, 0);
    return 0;
}
