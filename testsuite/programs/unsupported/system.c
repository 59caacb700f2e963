// A function without a model ends the check, with its name and the line of the call.
//@ expect: unsupported
//@ reason: system
//@ golden: yes
#include <pthread.h>
#include <stdlib.h>

static void *call(void *unused) {
    system("true");
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, call, NULL);
    pthread_join(thread, NULL);
    return 0;
}
