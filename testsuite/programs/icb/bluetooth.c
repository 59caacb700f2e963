// The stop of a plug-and-play driver: a request is counted as pending, and the driver stops when none is. The flag
// that says that it is to stop is read before the request is counted.
// Source: Musuvathi and Qadeer, PLDI 2007, describe the program and its bug (1 preemption); written anew.
//
// Preemptions of the bug: a worker reads the flag, is left before it counts itself (1), and the driver stops and ends;
// then the worker goes on. None is not enough: a worker that is not left between the two has counted itself before the
// stop, which then waits for it, or sees the flag. `main` only creates and joins, and blocks there.
//@ revisions: rising icb below counted
//@[rising] expect: bug
//@[rising] kind: assertion
//@[rising] preemptions: 1
//@[rising] args: --iterative
//@[icb] expect: bug
//@[icb] kind: assertion
//@[icb] preemptions: 1
//@[icb] args: --search=icb
//@[below] expect: verified
//@[below] args: --iterative --bound=0
//@[counted] expect: verified
//@[counted] cflags: -DCOUNTED_FIRST
//@[counted] args: --iterative --bound=1
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static atomic_int pending = 1; // The driver itself.
static atomic_int stopping, stopped;
static sem_t nothing_pending;

static void finish_request(void) {
    if (atomic_fetch_sub(&pending, 1) == 1) {
        sem_post(&nothing_pending);
    }
}

// Whether the request may go on.
static int begin_request(void) {
#ifdef COUNTED_FIRST
    atomic_fetch_add(&pending, 1);
    if (!atomic_load(&stopping)) {
        return 1;
    }
    finish_request();
    return 0;
#else
    if (atomic_load(&stopping)) {
        return 0;
    }
    atomic_fetch_add(&pending, 1);
    return 1;
#endif
}

static void *work(void *unused) {
    if (begin_request()) {
        int is_stopped = atomic_load(&stopped);
        assert(!is_stopped); //~[rising] assertion
        finish_request();
    }
    return unused;
}

static void *stop(void *unused) {
    atomic_store(&stopping, 1);
    finish_request();
    sem_wait(&nothing_pending);
    atomic_store(&stopped, 1);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    sem_init(&nothing_pending, 0, 0);
    pthread_create(&threads[0], 0, work, 0);
    pthread_create(&threads[1], 0, work, 0);
    pthread_create(&threads[2], 0, stop, 0);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], 0);
    }
    sem_destroy(&nothing_pending);
    return 0;
}
