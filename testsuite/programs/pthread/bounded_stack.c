// One thread pushes N times, one pops N times unless the stack is empty, each under one mutex.
// A section is not interrupted, so a trace is an order of 2N sections of which N are the pusher's,
// whatever they find: C(2N, N). N = 3: 20. N = 6: 924.
//@ revisions: n3 n6
//@ expect: verified
//@[n3] executions: 20
//@[n6] executions: 924
//@[n3] cflags: -DN=3
//@[n6] cflags: -DN=6
#include <dpor.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int stack[N];
int top;

static void *push(void *unused) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&mutex);
        dpor_assert(top < N);
        stack[top++] = i;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void *pop(void *unused) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&mutex);
        if (top > 0) {
            top--;
            dpor_assert(stack[top] >= top);
        }
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, push, 0);
    pthread_create(&b, 0, pop, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
