// A thread beats once in a while until it is told to stop, and nobody tells it. Main returns: the process does not wait
// for beats that never end.
//@ opt: O0 O2
//@ expect: verified
//@ kind: main-exits-early
//@ message: waits for a signal when the process ends
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stopped = PTHREAD_COND_INITIALIZER;
static int stops, beats;

static void *beat(void *unused) {
    struct timespec until;
    pthread_mutex_lock(&mutex);
    while (!stops) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&stopped, &mutex, &until);
        beats++;
    }
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, beat, 0);
    pthread_detach(thread);
    return 0;
}
