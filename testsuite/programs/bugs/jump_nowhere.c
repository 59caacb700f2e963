// A call through a pointer to no function: to 0, to an address that no page is at, and to data, which is not executable.
//@ revisions: null far data
//@ opt: O0 O2
//@ expect: bug
//@ kind: crash
//@ message: segmentation fault (SIGSEGV)
//@[null] cflags: -DWHERE=0
//@[far] cflags: -DWHERE=0x12345678
//@[data] cflags: -DWHERE=&there
#include <pthread.h>

int there;
static void (*volatile nowhere)(void);

static void *work(void *unused) {
    nowhere = (void (*)(void))WHERE;
    nowhere(); //~ crash
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
