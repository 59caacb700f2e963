// An alarm interrupts a read that nothing ends. Main looks for signals where nothing can go on: after the
// alarm, 1, or before it and in vain, which is no execution of its own: 1 blocked.
//@ args: --timeouts=none
//@ expect: verified
//@ executions: 1
//@ blocked: 1
//@ dfs: same-outcomes
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int ran;

static void handler(int signal) {
    (void)signal;
    ran++;
}

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    int ends[2];
    char byte;
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGALRM, &action, 0);
    dpor_assert(pipe(ends) == 0);
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);
    alarm(1);
    dpor_assert(read(ends[0], &byte, 1) == -1 && errno == EINTR && ran == 1);
    return 0;
}
