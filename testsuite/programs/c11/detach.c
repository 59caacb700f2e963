// A detached C11 thread cannot be joined.
//@ expect: bug
//@ kind: thread-misuse
//@ message: join of a detached thread
#include <threads.h>

static int work(void *unused) {
    return unused != 0;
}

int main(void) {
    thrd_t thread;
    thrd_create(&thread, work, 0);
    thrd_detach(thread);
    return thrd_join(thread, 0) == thrd_error ? 0 : 1; //~ thread-misuse
}
