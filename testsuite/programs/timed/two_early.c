// Two threads wait for a post each, with a time limit, and main posts for each. That both are late needs two early
// time-outs.
// none: the posts come first, and each thread gets its own: 1.
// one: each thread tries before its post or after it: at once (s), or in vain and then it waits (w) or gives up (g).
// ss, sw, ws, ww, sg, gs: 1 each. w and g: who waits looks at the count before the other gives up, or after: 2, and
// as many for g and w. 10. (Main can go on, so that there is a choice.)
// two: gg, in either order: 2 more, which fail. 10 and 2.
// all: each tries, before its post or after it: 4, of which one fails.
//@ revisions: none one two all
//@[none] args: --timeouts=none
//@[none] expect: verified
//@[none] executions: 1
//@[one] expect: verified
//@[one] executions: 10
//@[two] args: --timeouts=2 -k
//@[two] expect: bug
//@[two] kind: assertion
//@[two] executions: 10
//@[two] failed: 2
//@[all] args: --timeouts -k
//@[all] expect: bug
//@[all] kind: assertion
//@[all] executions: 3
//@[all] failed: 1
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t posts[2];
static int is_late[2];

static void *wait_a_second(void *number) {
    struct timespec until;
    long own = (long)number;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    is_late[own] = sem_timedwait(&posts[own], &until) != 0;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++) sem_init(&posts[i], 0, 0);
    for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, wait_a_second, (void *)i);
    for (int i = 0; i < 2; i++) sem_post(&posts[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(!(is_late[0] && is_late[1]));
    for (int i = 0; i < 2; i++) sem_destroy(&posts[i]);
    return 0;
}
