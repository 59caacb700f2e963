// A waiter with a time limit that gives up leaves a mark in memory that main lent it. Main takes it for granted that
// the waiter saw its signal, and frees the memory when it has sent it.
// none: the waiter gives up only where main cannot go on. Who locks first decides whether it waits: 2, and it always
// sees the flag.
// one: it gives up before main's section; then its mark and main's free are not ordered.
//@ revisions: none one
//@ opt: O0 O2
//@[none] args: --timeouts=none
//@[none] expect: verified
//@[none] executions: 2
//@[one] expect: bug
//@[one] kind: data-race
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *wait_a_second(void *mark) {
    struct timespec until;
    int result = 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_mutex_lock(&mutex);
    while (!is_ready && result == 0) result = pthread_cond_timedwait(&condition, &mutex, &until);
    int saw = is_ready;
    pthread_mutex_unlock(&mutex);
    if (!saw) *(int *)mark = 1; //~[one] data-race
    return NULL;
}

int main(void) {
    pthread_t waiter;
    int *mark = calloc(1, sizeof *mark);
    pthread_create(&waiter, NULL, wait_a_second, mark);
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    free(mark); //~[one] data-race
    pthread_join(waiter, NULL);
    return 0;
}
