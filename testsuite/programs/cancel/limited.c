// A thread is cancelled in a wait with a time limit, which otherwise ends only where nothing else can go on;
// and it is not so that nothing can go on as long as a thread that was cancelled would leave. The request
// comes before the thread looks: it leaves. If it comes after, it would leave as well: no execution of its
// own. other: main's own wait does not give up meanwhile either, as what the thread posts when it leaves is
// still to come. fortified: the names that -D_FORTIFY_SOURCE calls are cancellation points, too.
// epoll: its look conflicts with everything, so that the request comes before that, or after: 2 that are
// none of their own.
// late: the request comes only after main has given up, when the thread has long blocked: there is no
// execution in which it comes before the look, so it ends the wait (late.c).
//@ args: --timeouts=none
//@ revisions: semaphore clock poll select epoll other fortified late
//@ expect: verified
//@ executions: 1
//@ blocked: 1
//@[semaphore] dfs: same-outcomes
//@[semaphore] outcomes: cancelled=1 *1
//@[semaphore] cflags: -DWAIT=sem_timedwait(&never,&far)
//@[clock] dfs: same-outcomes
//@[clock] outcomes: cancelled=1 *1
//@[clock] cflags: -DWAIT=sem_clockwait(&never,CLOCK_MONOTONIC,&far)
//@[poll] dfs: same-outcomes
//@[poll] outcomes: cancelled=1 *1
//@[poll] cflags: -DWAIT=poll(&one,1,1000000)
//@[select] dfs: same-outcomes
//@[select] outcomes: cancelled=1 *1
//@[select] cflags: -DWAIT=pselect(ends[0]+1,&set,0,0,&far,0)
//@[epoll] dfs: same-outcomes
//@[epoll] outcomes: cancelled=1 *1
//@[epoll] cflags: -DWAIT=epoll_wait(many,&event,1,1000000)
//@[epoll] blocked: 2
//@[other] dfs: same-outcomes
//@[other] outcomes: cancelled=1 *1
//@[other] cflags: -DWAIT=sem_wait(&never) -DOTHER
//@[fortified] dfs: same-outcomes
//@[fortified] outcomes: cancelled=1 *1
//@[fortified] cflags: -DWAIT=read(ends[0],buffer,bytes) -D_FORTIFY_SOURCE=2 -Wno-unused-result
//@[late] cflags: -DWAIT=sem_wait(&never) -DLATE
//@[late] outcomes: cancelled=1 *1
//@[late] blocked: 0
#define _GNU_SOURCE
#include <dpor.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static sem_t never, left;
static int ends[2], many;
static struct timespec far = {4000000000, 0};
static char buffer[8];
int bytes = 1;

static void post(void *unused) {
    sem_post(&left);
    (void)unused;
}

static void *work(void *unused) {
    struct pollfd one = {ends[0], POLLIN, 0};
    struct epoll_event event;
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    (void)one, (void)event;
    pthread_cleanup_push(post, 0);
    WAIT;
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pipe(ends);
    many = epoll_create1(0);
    struct epoll_event event = {EPOLLIN, {.fd = ends[0]}};
    epoll_ctl(many, EPOLL_CTL_ADD, ends[0], &event);
    sem_init(&never, 0, 0);
    sem_init(&left, 0, 0);
    pthread_create(&thread, 0, work, 0);
#ifdef LATE
    sem_timedwait(&left, &far);
#endif
    pthread_cancel(thread);
#ifdef OTHER
    dpor_assert(sem_timedwait(&left, &far) == 0);
#endif
    pthread_join(thread, &result);
    dpor_observe("cancelled", result == PTHREAD_CANCELED);
    sem_destroy(&never);
    sem_destroy(&left);
    return 0;
}
