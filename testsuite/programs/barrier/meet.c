// Three threads meet twice. Arrivals commute as long as only three threads ever come, and nobody looks
// at who is the serial one: 1 execution. What was written before the barrier is read after it.
// Where one looks, the serial thread of each meeting is a choice: 3 * 3 = 9.
//@ revisions: blind looking
//@ opt: O0 O2
//@ args: --reductions=commute,observers
//@ expect: verified
//@[blind] executions: 1
//@[looking] cflags: -DLOOKING
//@[looking] executions: 9
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_barrier_t barrier;
static int written[3];
static atomic_int serial;

static void meet(void) {
#ifdef LOOKING
    int result = pthread_barrier_wait(&barrier);
    if (result == PTHREAD_BARRIER_SERIAL_THREAD)
        atomic_fetch_add(&serial, 1);
    else if (result != 0)
        abort();
#else
    pthread_barrier_wait(&barrier);
#endif
}

static void *work(void *own) {
    int *mine = own;
    *mine = 1;
    meet();
    if (written[0] + written[1] + written[2] != 3) abort();
    meet();
    *mine = 2;
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    pthread_barrier_init(&barrier, NULL, 3);
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, &written[i]);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
#ifdef LOOKING
    if (serial != 2) abort();
#endif
    return 0;
}
