// What the kernel makes up when a file is read, here the processor time this process has used, is
// the same in every execution: read once, then replayed. A bit of it decides what a thread does, so
// executions would not fit together. One outcome, in all of them.
//@ expect: verified
//@ checkpoint: snapshot // with restart each process has a time of its own, which is reported
//@ parts: no // the process that goes on has a time of its own
//@ outcomes-distinct: 1
#include <dpor.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

atomic_int even, odd, cell;
static unsigned long used;

static unsigned long time_used(void) {
    char text[100] = "";
    unsigned long nanoseconds = 0;
    int file = open("/proc/self/schedstat", O_RDONLY);
    dpor_assert(read(file, text, sizeof text - 1) > 0);
    close(file);
    sscanf(text, "%lu", &nanoseconds);
    return nanoseconds;
}

static void *work(void *unused) {
    used = time_used();
    atomic_store(used & 1 ? &odd : &even, 1);
    atomic_fetch_add(&cell, 1);
    for (volatile int i = 0; i < 100000; i++) {}
    dpor_assert(time_used() == used);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    atomic_load(&even);
    atomic_load(&odd);
    atomic_fetch_add(&cell, 1);
    pthread_join(thread, 0);
    dpor_observe("used", used != 0);
    return 0;
}
