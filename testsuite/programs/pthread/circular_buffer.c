// A ring of N places: one thread puts N numbers in, one takes up to N out, each under one mutex; who
// finds it full or empty goes on. A trace is an order of 2N sections of which N are the sender's:
// C(2N, N). N = 3: 20. N = 7: 3,432.
//@ revisions: n3 n7
//@ expect: verified
//@[n3] executions: 20
//@[n7] executions: 3,432
//@[n3] cflags: -DN=3
//@[n7] cflags: -DN=7
//@[n7] checkpoint: snapshot // in fresh processes it would take half a minute
#include <dpor.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ring[N];
static int first, held;

static void *send(void *unused) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&mutex);
        if (held < N) ring[(first + held++) % N] = i;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void *receive(void *unused) {
    int expected = 0;
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&mutex);
        if (held > 0) {
            dpor_assert(ring[first] == expected++);
            first = (first + 1) % N;
            held--;
        }
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, send, 0);
    pthread_create(&b, 0, receive, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
