// Standard output goes to a pipe, which another thread reads: nothing is captured, and printf's data
// arrive when the buffer is flushed.
//@ expect: verified
//@ outputs: done\n
#include <dpor.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *unused) {
    char text[8] = "";
    dpor_assert(read(ends[0], text, sizeof text) == 6);
    dpor_assert(!memcmp(text, "hello\n", 6));
    return unused;
}

int main(void) {
    pthread_t thread;
    pipe(ends);
    pthread_create(&thread, 0, reader, 0);
    int before = dup(1);
    dup2(ends[1], 1);
    printf("hello\n");
    fflush(stdout);
    pthread_join(thread, 0);
    dup2(before, 1);
    printf("done\n");
    return 0;
}
