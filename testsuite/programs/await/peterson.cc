// Peterson's algorithm with std::atomic, each of whose accesses is a call without optimization: the same executions as in
// peterson.c.
//@ expect: verified
//@ executions: 4
//@ blocked: 6
//@ opt: O0 O2
#include <atomic>
#include <thread>
std::atomic<int> flag[2], turn;
int shared;
static void work(int me) {
    int other = 1 - me;
    flag[me].store(1);
    turn.store(other);
    while (flag[other].load() && turn.load() == other) {
    }
    shared++;
    flag[me] = 0;
}
int main() {
    std::thread a(work, 0), b(work, 1);
    a.join();
    b.join();
    return shared == 2 ? 0 : 1;
}
