// A lock for readers and writers that looks for readers before it says that it writes: a reader that looks for a
// writer between the two comes in as well.
//@ expect: bug
//@ kind: assertion
//@ checkpoint: snapshot
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int readers, writing, inside;

static void *write_it(void *unused) {
    if (readers == 0) {
        writing = 1;
        inside = 1;
        inside = 0;
        writing = 0;
    }
    return unused;
}

static void *read_it(void *unused) {
    readers++;
    if (!writing)
        assert(!inside);
    readers--;
    return unused;
}

int main(void) {
    pthread_t writer, reader[2];
    pthread_create(&writer, 0, write_it, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&reader[i], 0, read_it, 0);
    pthread_join(writer, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(reader[i], 0);
}
