// What a static constructor stored in main's thread_local is still there when threads run, and
// main's change of it is taken back for the next execution (two, for two orders of a cell).
//@ expect: verified
//@ executions: 2
#include <atomic>
#include <thread>

static thread_local int mine = 1;
static struct Setter {
    Setter() { mine = 5; }
} setter;
static std::atomic<int> cell;

int main() {
    std::thread other([] { cell = mine; });
    int before = mine++;
    cell = 2;
    other.join();
    return before == 5 && mine == 6 && (cell == 1 || cell == 2) ? 0 : 1;
}
