// Names are kept and read back; a thread has its creator's at first. Main names the thread before it
// could have changed anything itself, and reads its own: 1 execution.
//@ expect: verified
//@ executions: 1
#define _GNU_SOURCE
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>

static void is(pthread_t thread, const char *expected) {
    char name[16];
    dpor_assert(pthread_getname_np(thread, name, sizeof name) == 0);
    dpor_assert(strcmp(name, expected) == 0);
}

static void *work(void *unused) {
    is(pthread_self(), "parent");
    dpor_assert(pthread_setname_np(pthread_self(), "child") == 0);
    is(pthread_self(), "child");
    return unused;
}

int main(void) {
    pthread_t thread;
    char small[8];
    pthread_setname_np(pthread_self(), "parent");
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    is(pthread_self(), "parent");
    dpor_assert(pthread_setname_np(pthread_self(), "sixteen letters!") == ERANGE);
    dpor_assert(pthread_getname_np(pthread_self(), small, sizeof small) == ERANGE);
    return 0;
}
