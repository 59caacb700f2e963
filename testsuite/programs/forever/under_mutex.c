// A thread goes round for ever and locks a mutex in each turn, while main waits for its end.
// [server] it never leaves its loop: by design it runs for ever, and each turn enters and leaves a critical section.
// [polls] it waits for a flag that nobody sets: a livelock, though each turn enters and leaves a critical section.
// [marked] the same, but the program says that a turn is progress.
// [refused] a philosopher: holds one fork, is refused the other, which nobody gives back, and lets go: livelock.
// [beside] a thread spins for what nobody writes: a livelock, whatever the server beside it does.
//@ revisions: server polls marked refused beside
//@ opt: O0 O2
//@[server] expect: verified
//@[server] executions: 1
//@[server] note: runs for ever
//@[server] cflags: -DSERVER
//@[polls] expect: bug
//@[polls] kind: livelock
//@[polls] cflags: -DPOLLS
//@[marked] expect: verified
//@[marked] executions: 1
//@[marked] note: with progress
//@[marked] cflags: -DPOLLS -DMARKED
//@[refused] expect: bug
//@[refused] kind: livelock
//@[refused] cflags: -DREFUSED
//@[beside] expect: bug
//@[beside] kind: livelock
//@[beside] cflags: -DSERVER -DBESIDE
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int queued, stop;
atomic_int never;

static void *run(void *unused) {
#if defined SERVER
    for (;;) {
        pthread_mutex_lock(&left);
        if (queued) queued = 0;
        pthread_mutex_unlock(&left);
    }
#elif defined REFUSED
    for (;;) {
        pthread_mutex_lock(&left);
        if (pthread_mutex_trylock(&right) == 0) break;
        pthread_mutex_unlock(&left);
    }
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
#else
    for (;;) {
        pthread_mutex_lock(&left);
        int found = stop;
        pthread_mutex_unlock(&left);
        if (found) break;
#ifdef MARKED
        dpor_progress();
#endif
    }
#endif
    return unused;
}

static void *spin(void *unused) {
    while (!atomic_load(&never)) {
    }
    return unused;
}

int main(void) {
    pthread_t thread, other;
    (void)spin;
#ifdef REFUSED
    pthread_mutex_lock(&right);
#endif
    pthread_create(&thread, NULL, run, NULL);
#ifdef BESIDE
    pthread_create(&other, NULL, spin, NULL);
    pthread_join(other, NULL);
#endif
    pthread_join(thread, NULL);
    (void)other;
}
