// With off=1 the functions that the runtime stands in for are libc's, also where it keeps a state of its own
// under exploration: of strtok the place, of barriers which there are.
//@ revisions: itself off
//@[itself] mode: alone
//@[itself] exit: 0
//@[off] mode: off
//@[off] exit: 0
#include <pthread.h>
#include <string.h>

static pthread_barrier_t barrier;

static void *meet(void *unused) {
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void) {
    char text[] = "a,b";
    if (strcmp(strtok(text, ","), "a") || strcmp(strtok(0, ","), "b") || strtok(0, ",")) return 1;

    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, meet, 0);
    meet(0);
    pthread_join(thread, 0);
    return pthread_barrier_destroy(&barrier);
}
