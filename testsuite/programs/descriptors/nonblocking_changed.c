// O_NONBLOCK is changed while another thread may stand before its read: which flags it goes by is not
// modelled.
//@ expect: unsupported
//@ reason: O_NONBLOCK
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *unused) {
    char byte;
    read(ends[0], &byte, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pipe(ends);
    pthread_create(&thread, 0, reader, 0);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    write(ends[1], "x", 1);
    pthread_join(thread, 0);
    return 0;
}
