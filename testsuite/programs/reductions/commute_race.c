// If the writer's addition comes first, it publishes the data to the reader's, and nothing races; if
// it comes last, nothing orders the two. One order stands for both, and the race must be found.
//@ expect: bug
//@ kind: data-race
//@ args: --reductions=commute
//@ revisions: seq_cst relaxed_fence
//@[relaxed_fence] cflags: -DFENCE
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count;
static int data;

static void *write_data(void *unused) {
    data = 1; //~ race
    atomic_fetch_add(&count, 1);
    return unused;
}

static void *read_data(void *unused) {
    (void)unused;
#ifdef FENCE
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
#else
    atomic_fetch_add(&count, 1);
#endif
    return (void *)(long)data; //~ race
}

int main(void) {
    pthread_t writer, reader;
    pthread_create(&writer, 0, write_data, 0);
    pthread_create(&reader, 0, read_data, 0);
    pthread_join(writer, 0);
    pthread_join(reader, 0);
    return 0;
}
