// A structure is copied as a whole, and its members are used one by one.
// -O0: memcpy reads its eight bytes at once, and change writes them at once: both old or both new.
// -O2: the copy is not made; each member is loaded by itself, and the store may come between.
// No member is loaded twice: LLVM does not turn one load into two of the same bytes.
//@ options: --plain=explore --races=off
//@ verdict: different
//@ introduced: outcome-difference high=1 low=0
//@ change: split read shared 20 -> 20 20
//@ ir: main: load i32, ptr @shared: 1
//@ ir: change: store i64: 1
#include <dpor.h>
#include <pthread.h>
struct pair { int low, high; };
struct pair shared;
static const struct pair next = {1, 1};
static void *change(void *unused) { shared = next; return unused; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, change, 0);
    struct pair copy = shared;
    pthread_join(thread, 0);
    dpor_observe("low", copy.low);
    dpor_observe("high", copy.high);
    return 0;
}
