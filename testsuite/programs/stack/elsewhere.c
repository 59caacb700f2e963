// Functions that run on memory which is no stack of a thread's: a signal handler on an alternate one, and a context that
// the program made. Their frames end there, and then the memory is used for something else, by another thread.
// Nothing is wrong; nobody but the joins orders anything: 1 execution.
//@ revisions: handler context
//@ opt: O0 O2
//@ expect: verified
//@ executions: 1
//@[handler] cflags: -DHANDLER
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

static char memory[1 << 16];
static pthread_t other;

static void *clears(void *unused) {
    memset(memory, 0, sizeof memory);
    return unused;
}

static void *reads(void *variable) {
    return *(int *)variable == 41 ? variable : 0;
}

__attribute__((noinline)) static void lend(int value) {
    int variable = value;
    pthread_t borrower;
    pthread_create(&borrower, 0, reads, &variable);
    pthread_join(borrower, 0);
}

#ifdef HANDLER
static void handle(int signal) {
    lend(41);
}

static void elsewhere(void) {
    stack_t alternate = {.ss_sp = memory, .ss_size = sizeof memory};
    sigaltstack(&alternate, 0);
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, 0);
    raise(SIGUSR1);
    alternate.ss_flags = SS_DISABLE;
    sigaltstack(&alternate, 0);
}
#else
static ucontext_t here, there;

static void runs(void) {
    lend(41);
}

static void elsewhere(void) {
    getcontext(&there);
    there.uc_stack.ss_sp = memory;
    there.uc_stack.ss_size = sizeof memory;
    there.uc_link = &here;
    makecontext(&there, runs, 0);
    swapcontext(&here, &there);
}
#endif

int main(void) {
    pthread_create(&other, 0, reads, &(int){41});
    pthread_join(other, 0);
    elsewhere();
    pthread_create(&other, 0, clears, 0);
    pthread_join(other, 0);
    return memory[0];
}
