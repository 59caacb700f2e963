// main returns while another thread goes on for ever: the verdict says that the end of the process was not reached.
//@ args: --states
//@ expect: verified
//@ note: the process has no end in this search
#include <pthread.h>
#include <stdatomic.h>

static atomic_int bit;

static void *serve(void *unused) {
    for (;;) atomic_fetch_xor(&bit, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, serve, 0);
    pthread_detach(thread);
    return 0;
}
