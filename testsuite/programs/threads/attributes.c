// Scheduling attributes are kept and read back: policy, priority, processors, concurrency. Nobody else
// sets them: 1 execution.
//@ expect: verified
//@ executions: 1
#define _GNU_SOURCE
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

static void *work(void *unused) {
    int policy;
    struct sched_param parameters = {0};
    cpu_set_t set, first;
    pthread_t self = pthread_self();
    dpor_assert(pthread_getschedparam(self, &policy, &parameters) == 0);
    dpor_assert(policy == SCHED_OTHER && parameters.sched_priority == 0);
    dpor_assert(pthread_setschedprio(self, 5) == EINVAL);
    parameters.sched_priority = 7;
    dpor_assert(pthread_setschedparam(self, SCHED_OTHER, &parameters) == EINVAL);
    dpor_assert(pthread_setschedparam(self, SCHED_FIFO, &parameters) == 0);
    dpor_assert(pthread_setschedprio(self, 9) == 0);
    dpor_assert(pthread_getschedparam(self, &policy, &parameters) == 0);
    dpor_assert(policy == SCHED_FIFO && parameters.sched_priority == 9);

    dpor_assert(pthread_getaffinity_np(self, sizeof set, &set) == 0);
    dpor_assert(CPU_COUNT(&set) > 0);
    int one = 0;
    while (!CPU_ISSET(one, &set)) one++;
    CPU_ZERO(&first);
    dpor_assert(pthread_setaffinity_np(self, sizeof first, &first) == EINVAL);
    CPU_SET(one, &first);
    dpor_assert(pthread_setaffinity_np(self, sizeof first, &first) == 0);
    dpor_assert(pthread_getaffinity_np(self, sizeof set, &set) == 0);
    dpor_assert(CPU_EQUAL(&set, &first));
    return unused;
}

int main(void) {
    pthread_t thread;
    clockid_t clock;
    struct timespec time;
    pthread_attr_t attributes;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    dpor_assert(pthread_setconcurrency(-1) == EINVAL);
    dpor_assert(pthread_setconcurrency(3) == 0 && pthread_getconcurrency() == 3);
    dpor_assert(pthread_getcpuclockid(pthread_self(), &clock) == 0);
    dpor_assert(clock_gettime(clock, &time) == 0);
    size_t bytes;
    dpor_assert(pthread_getattr_default_np(&attributes) == 0);
    dpor_assert(pthread_attr_setstacksize(&attributes, 1 << 20) == 0);
    dpor_assert(pthread_setattr_default_np(&attributes) == 0);
    dpor_assert(pthread_getattr_default_np(&attributes) == 0);
    dpor_assert(pthread_attr_getstacksize(&attributes, &bytes) == 0 && bytes == 1 << 20);
    return 0;
}
