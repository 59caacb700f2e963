// A loop that looks under a lock goes round as often as the scheduler lets it, and nothing bounds that: the bounds are
// raised by the tool, 1, 2, 4, …, and the verdict says up to which all was explored. 0 executions are no result.
// *polls*: main sets what the other waits for. *finds*: it sets it wrongly, which the first execution that is fair shows.
// *one*: what is asked for is done, and nothing more. With 1 way back the poller looks 0 times in vain, or 1 time, or 2
// times, and then it stands there for ever: 1 execution is cut.
//@ revisions: polls finds one
//@ expect: incomplete
//@ opt: O0 O2
//@ checkpoint: snapshot
//@ parts: no
//@[polls] reason: iterations of each loop
//@[finds] cflags: -DWRONG
//@[finds] expect: bug
//@[finds] kind: assertion
//@[one] args: --loop-bound=1
//@[one] reason: cut at 1 iteration, in 1 execution
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifdef WRONG
enum { DONE = 2 };
#else
enum { DONE = 1 };
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done, looks;

static void *polls(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        int found = done;
        looks++;
        pthread_mutex_unlock(&lock);
        if (found) {
            assert(found == 1);
            return unused;
        }
    }
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, polls, NULL);
    pthread_mutex_lock(&lock);
    done = DONE;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
}
