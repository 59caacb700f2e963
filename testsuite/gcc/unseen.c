// A function in which the user wants no instrumentation is code that nobody sees: it synchronises by itself, or keeps a
// state, and two threads enter it.
//@ expect: unsupported
//@ reason: keeps state of its own
//@ opt: O0 O2
#include <pthread.h>
static int hidden;
__attribute__((noinline, no_sanitize("thread"))) void count(void) {
    hidden++;
}
static void *work(void *unused) {
    count();
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
