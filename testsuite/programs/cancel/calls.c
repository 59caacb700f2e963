// write and poll are cancellation points, printf is none. The request comes before the write's look,
// before the poll's, or after that: 3. A poll of nothing conflicts with nothing. What the thread was to
// write before it left is not written.
//@ expect: verified
//@ executions: 3
//@ outcomes: step=0 *1 | step=1 *1 | step=2 *1
//@ outputs: | w | wp
#include <dpor.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int step;

static void *work(void *unused) {
    if (write(1, "w", 1) != 1) return 0;
    step = 1;
    poll(0, 0, 1);
    step = 2;
    printf("p");
    fflush(stdout);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, 0);
    dpor_observe("step", step);
    return 0;
}
