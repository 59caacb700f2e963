// longjmp inside a thread, across its own frames, in both of two threads.
//@ expect: verified
//@ executions: 1
#include <dpor.h>
#include <pthread.h>
#include <setjmp.h>

static __attribute__((noinline)) void leap(jmp_buf *back, int depth) {
    if (depth == 0) longjmp(*back, 4);
    leap(back, depth - 1);
}

static void *work(void *unused) {
    jmp_buf back;
    int value = setjmp(back);
    if (value == 0) leap(&back, 3);
    dpor_assert(value == 4);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
