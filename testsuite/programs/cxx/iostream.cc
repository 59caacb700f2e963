// Two threads print through std::cout under a lock: 2 orders, 2 outputs.
//@ expect: verified
//@ outputs: a\nb\n | b\na\n
#include <iostream>
#include <mutex>
#include <thread>

static std::mutex mutex;

static void say(char letter) {
    std::lock_guard<std::mutex> held(mutex);
    std::cout << letter << std::endl;
}

int main() {
    std::thread a(say, 'a'), b(say, 'b');
    a.join();
    b.join();
    return 0;
}
