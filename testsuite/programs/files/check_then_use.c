// Time of check, time of use: a thread removes the file between access and open of another.
//@ expect: bug
//@ kind: assertion
//@ args: -k
#include <dpor.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define NAME "/tmp/dpor_files_check_then_use"

static void *use(void *unused) {
    if (access(NAME, R_OK) == 0) dpor_assert(open(NAME, O_RDONLY) >= 0); //~ assertion
    return unused;
}

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);
    close(open(NAME, O_WRONLY | O_CREAT, 0600));
    pthread_create(&thread, 0, use, 0);
    unlink(NAME);
    pthread_join(thread, 0);
    return 0;
}
