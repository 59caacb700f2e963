// Data is published by a relaxed flag, and was read before.
// -O0: whoever sees the flag and then reads the data has it (exploration is sequentially consistent):
// before=0 seen=-1; before=42 seen=42; before=0 seen=42; before=42 seen=-1 (data was stored, not yet the flag).
// -O2: a relaxed load orders nothing, so the second read of the data is the first one: with before=0 the flag
// may be seen, and still 0 be used.
//@ options: --plain=explore --races=off
//@ verdict: different
//@ hidden: outcome-difference before=0 seen=42
//@ introduced: outcome-difference before=0 seen=0
//@ change: merged read data 24 27 -> 24
//@ ir: main: load i32, ptr @data: 1
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
int data; atomic_int ready;
static void *publish(void *unused) {
    data = 42;
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, publish, 0);
    int before = data;
    int seen = -1;
    if (atomic_load_explicit(&ready, memory_order_relaxed))
        seen = data;
    pthread_join(thread, 0);
    dpor_observe("before", before);
    dpor_observe("seen", seen);
    return 0;
}
