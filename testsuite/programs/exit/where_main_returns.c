// The warning points at main's return, not at the last call before it, and at the return that was taken.
//@ revisions: last first
//@[last] cflags: -DFIRST=0
//@[first] cflags: -DFIRST=1
//@ opt: O0
//@ expect: verified
//@ kind: main-exits-early
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int first = FIRST;

static void use(void) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void *run(void *unused) {
    use();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_detach(thread);
    use();
    if (first) {
        return 0; //~[first] main-exits-early
    }
    use();
    return 0; //~[last] main-exits-early
}
