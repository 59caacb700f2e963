// An exception leaves the function of a thread: std::terminate, which aborts.
//@ expect: bug
//@ kind: abort
#include <stdexcept>
#include <thread>

int main() {
    std::thread thread([] { throw std::runtime_error("no one listens"); });
    thread.join();
    return 0;
}
