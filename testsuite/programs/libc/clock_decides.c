// What a thread does depends on the clock it reads. The clocks at the root belong to the schedule:
// a replay, some time later in another process, must find the same assertion.
//@ expect: bug
//@ kind: assertion
//@ checkpoint: snapshot // each check has clocks of its own
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int steps;

static void *work(void *unused) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    for (int i = 0; i <= now.tv_nsec % 7; i++) atomic_fetch_add(&steps, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    int seen = atomic_load(&steps);
    pthread_join(thread, 0);
    assert(seen == 0); //~ assertion
    return 0;
}
