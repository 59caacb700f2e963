// T threads lock and unlock one mutex 3 times each. A section lock…unlock is not interrupted by
// another's, so a trace is an order of sections: (3T)! / (3!)^T.
// T = 3: 9!/6^3 = 1,680. T = 4: 12!/6^4 = 369,600.
//@ revisions: t3 t4
//@ expect: verified
//@[t3] executions: 1,680
//@[t4] executions: 369,600
//@[t3] cflags: -DT=3
//@[t4] cflags: -DT=4
//@[t4] checkpoint: snapshot // in fresh processes it would take minutes
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t threads[T];
    for (int i = 0; i < T; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < T; i++) pthread_join(threads[i], 0);
    return 0;
}
