// A signal to the process runs a handler on either of two threads that do not block it: main, which
// sends it, or the other one, which waits at a lock that main holds, and looks before its unlock at the
// latest.
//@ expect: verified
//@ outcomes: on_main=0 | on_main=1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t first;
int ran_on_main = 2;

static void handler(int signal) {
    (void)signal;
    ran_on_main = pthread_equal(pthread_self(), first) != 0;
}

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    first = pthread_self();
    signal(SIGUSR1, handler);
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, work, 0);
    kill(getpid(), SIGUSR1);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    dpor_observe("on_main", ran_on_main);
    return 0;
}
