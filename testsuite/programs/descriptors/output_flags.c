// Status flags of standard output can be changed and are told; what is written is captured as before.
// Descriptors that are one open file have them together (fcntl(2)).
// By hand: nothing of the two threads conflicts, one execution.
//@ expect: verified
//@ executions: 1
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *work(void *unused) {
    return unused;
}

int main(void) {
    pthread_t thread;
    int copy = dup(STDOUT_FILENO);
    assert(copy > STDERR_FILENO);
    pthread_create(&thread, 0, work, 0);
    int before = fcntl(STDOUT_FILENO, F_GETFL);
    assert(before != -1);
    assert(fcntl(STDOUT_FILENO, F_SETFL, before | O_NONBLOCK) == 0);
    assert(fcntl(STDOUT_FILENO, F_GETFL) == (before | O_NONBLOCK));
    assert(write(STDOUT_FILENO, "written\n", 8) == 8);
    assert(fcntl(STDOUT_FILENO, F_SETFL, before) == 0);
    assert(fcntl(STDOUT_FILENO, F_GETFL) == before);
    pthread_join(thread, 0);
    return 0;
}
