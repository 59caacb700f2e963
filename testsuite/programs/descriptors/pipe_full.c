// A pipe holds 65,536 bytes. It is full when the second thread begins; a writer of 10 bytes waits
// until there is room for all of them. Main reads 5 bytes, which is not enough, and the rest of the page
// that Linux needs to be empty.
// The order of the three events is fixed: 1 execution.
//@ expect: verified
//@ executions: 1
#include <dpor.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int written;

static void *writer(void *unused) {
    dpor_assert(write(ends[1], "0123456789", 10) == 10);
    written = 1;
    return unused;
}

int main(void) {
    static char page[4096];
    pthread_t thread;
    dpor_assert(pipe(ends) == 0);
    for (int k = 0; k < 16; k++) dpor_assert(write(ends[1], page, 4096) == 4096);
    pthread_create(&thread, 0, writer, 0);
    dpor_assert(read(ends[0], page, 5) == 5);
    dpor_assert(read(ends[0], page, 4091) == 4091);
    pthread_join(thread, 0);
    dpor_assert(written == 1);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    dpor_assert(write(ends[1], page, 4086) == 4086);
    dpor_assert(write(ends[1], "x", 1) == -1 && errno == EAGAIN);
    return 0;
}
