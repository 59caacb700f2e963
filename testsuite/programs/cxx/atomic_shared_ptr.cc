// std::atomic<std::shared_ptr>: a load and a store. Each locks the word (reads it, exchanges it if
// nobody else locked it meanwhile), and unlocks it.
// The load's section first: the store reads the word before the load locks, and exchanges after the
// unlock, or it reads after the unlock: 2. The store's section first: 1, as the word is another one
// then. Blocked are those in which a thread finds the word locked or, exchanging, changed: the store
// reads or exchanges in the load's section (2); the load reads in the store's section, exchanges in it
// or after it (3). What it would do then it does in an execution in which it comes after the unlock.
//
// GCC 12 unlocks after a load with memory_order_relaxed, so that nothing orders its read of the pointer
// with the next store's write: a data race by C11, if every atomic does not synchronize. It is the library's: a warning,
// and as the lock keeps the two apart in every interleaving, nothing is left out.
//@ revisions: sc c11
//@ cflags: -std=c++20
//@ opt: O0 O2
//@[sc] args: --races=sc
//@ expect: verified
//@ executions: 3
//@ blocked: 5
//@ outcomes: seen=1 *2 | seen=2 *1
//@[c11] kind: data-race
//@[c11] message: in libstdc++, not in your code
#include <atomic>
#include <dpor.h>
#include <memory>
#include <thread>

static std::atomic<std::shared_ptr<int>> pointer(std::make_shared<int>(1));

int main() {
    std::thread thread([&] { pointer.store(std::make_shared<int>(2)); }); //~[c11] race
    std::shared_ptr<int> loaded = pointer.load(); //~[c11] race
    int seen = *loaded;
    thread.join();
    dpor_observe("seen", seen);
    return 0;
}
