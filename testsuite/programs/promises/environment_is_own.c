// What the runtime needs in the environment to start anew does not reach the program, before the
// root and after it: LD_BIND_NOW, GLIBC_TUNABLES, DPOR_OPTIONS and its own mark.
//@ revisions: check itself
//@[itself] mode: alone
//@[itself] exit: 0
//@[check] expect: verified
//@[check] executions: 1
#include <pthread.h>
#include <string.h>

extern char **environ;

static int leaks(void) {
    static const char *const ours[] = {"LD_BIND_NOW=", "GLIBC_TUNABLES=", "DPOR_OPTIONS=",
                                       "DPOR_AGAIN="};
    for (char **entry = environ; *entry; entry++)
        for (int i = 0; i < 4; i++)
            if (!strncmp(*entry, ours[i], strlen(ours[i]))) return 1;
    return 0;
}

static void *work(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    if (leaks()) return 1;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return leaks() ? 2 : 0;
}
