// Two adjacent stores.
// -O0: whoever reads low between them, and then high, has 0 and 1.
// -O2: one memset of sixteen bytes, where the second store was: a low of 0 is followed by a high of 0.
//@ options: --plain=explore --races=off
//@ verdict: different
//@ hidden: outcome-difference high=1 low=0
//@ change: merged write pair 14 15 -> 15
//@ ir: clear: store i64 0: 0
//@ ir: clear: @llvm.memset: 1
#include <dpor.h>
#include <pthread.h>
struct { long low, high; } pair = {1, 1};
static void *clear(void *unused) {
    pair.low = 0;
    pair.high = 0;
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, clear, 0);
    long low = pair.low;
    long high = pair.high;
    pthread_join(thread, 0);
    dpor_observe("low", low);
    dpor_observe("high", high);
    return 0;
}
