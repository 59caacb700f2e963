// Cancellation unwinds: destructors run, and catch (...) must rethrow. The request comes before the
// cancellation point or after it: 2.
//@ expect: verified
//@ executions: 2
//@ outcomes: destroyed=1 caught=1 *1 | destroyed=1 caught=0 *1
//@ opt: O0 O2
#include <dpor.h>
#include <pthread.h>

int destroyed, caught;

struct Guard {
    ~Guard() { destroyed++; }
};

static void *work(void *unused) {
    Guard guard;
    try {
        pthread_testcancel();
    } catch (...) {
        caught++;
        throw;
    }
    return unused;
}

int main() {
    pthread_t thread;
    pthread_create(&thread, nullptr, work, nullptr);
    pthread_cancel(thread);
    pthread_join(thread, nullptr);
    dpor_observe("destroyed", destroyed);
    dpor_observe("caught", caught);
}
