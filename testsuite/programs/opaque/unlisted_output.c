// A function of the table that does more than its rule says: getopt's rule names its position, and
// about an unknown option it also writes to standard error. Then it conflicts with everything: the
// other thread's text comes before or after its message. 2 executions. Without a message only the
// position counts: 1.
//@ revisions: message silent
//@[silent] cflags: -DSILENT
//@ expect: verified
//@[message] executions: 2
//@[silent] executions: 1
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *options(void *unused) {
#ifdef SILENT
    char *arguments[] = {"program", "-a", 0};
#else
    char *arguments[] = {"program", "-z", 0};
#endif
    getopt(2, arguments, "a");
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, options, 0);
    fputs("main\n", stderr);
    pthread_join(thread, 0);
    return 0;
}
