// Two threads push to one std::vector.
//@ expect: bug
//@ kind: data-race
#include <thread>
#include <vector>

std::vector<int> numbers;

int main() {
    numbers.reserve(8);
    auto work = [](int number) { numbers.push_back(number); };
    std::thread a(work, 1), b(work, 2);
    a.join();
    b.join();
    return 0;
}
