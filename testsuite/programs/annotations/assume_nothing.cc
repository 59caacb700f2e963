// The same in C++, by the verifiers' name and with a lock: whoever is first, nobody finds both done when it begins.
// 2 orders of the critical sections; in each the thread that comes first stands at its assumption with the lock in its
// hand, and the other waits for it. That is no deadlock: the execution was left.
//@ expect: incomplete
//@ executions: 0
//@ blocked: 2
//@ reason: no execution fulfils the assumptions
//@ opt: O1
#include <mutex>
#include <thread>

extern "C" void __VERIFIER_assume(int);

static std::mutex mutex;
static int done;

static void work() {
    std::lock_guard<std::mutex> guard(mutex);
    __VERIFIER_assume(done == 2);
    done++;
}

int main() {
    std::thread other(work);
    work();
    other.join();
}
