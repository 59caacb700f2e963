// Threads that run on stacks which the program made, at an event and at a checkpoint: thread 0 also
// where exploration begins. Four reads of one descriptor by each of two threads: 8! / (4! 4!) = 70.
//@ expect: verified
//@ executions: 70
//@ outcomes-distinct: 70
//@ stdin: abcdefgh
#include <dpor.h>
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

static const char *names[] = {"first", "second", "third", "fourth"};
static _Thread_local ucontext_t back, there;
static pthread_t thread;
static char got[2][4];

static void on_own_stack(void (*body)(void)) {
    getcontext(&there);
    there.uc_stack.ss_size = 1 << 16;
    there.uc_stack.ss_sp = malloc(there.uc_stack.ss_size);
    there.uc_link = &back;
    makecontext(&there, body, 0);
    swapcontext(&back, &there);
    free(there.uc_stack.ss_sp);
}

static void reads(int who) {
    for (int i = 0; i < 4; i++) dpor_assert(read(0, &got[who][i], 1) == 1);
}

static void other(void) { reads(1); }

static void *work(void *unused) {
    on_own_stack(other);
    return unused;
}

static void first(void) {
    pthread_create(&thread, 0, work, 0);
    reads(0);
}

int main(void) {
    volatile int frame[64];
    for (int i = 0; i < 64; i++) frame[i] = i;
    on_own_stack(first);
    pthread_join(thread, 0);
    for (int i = 0; i < 64; i++) dpor_assert(frame[i] == i);
    for (int i = 0; i < 4; i++) dpor_observe(names[i], got[0][i]);
    return 0;
}
