// What is written to memory after the write to the pipe is not ordered with the reader.
//@ expect: bug
//@ kind: data-race
#include <pthread.h>
#include <unistd.h>

static int ends[2];
int told;

static void *writer(void *unused) {
    write(ends[1], "x", 1);
    told = 1; //~ race
    return unused;
}

int main(void) {
    pthread_t thread;
    char byte;
    pipe(ends);
    pthread_create(&thread, 0, writer, 0);
    read(ends[0], &byte, 1);
    int seen = told; //~ race
    pthread_join(thread, 0);
    return seen > 1;
}
