// A producer and a consumer on moodycamel::ReaderWriterQueue, whose blocks are so small that it grows.
#include <cassert>
#include <readerwriterqueue.h>
#include <thread>

int main() {
    constexpr int items = 6;
    moodycamel::ReaderWriterQueue<int> queue(1);
    int last = 0;
    auto take = [&] {
        int item;
        if (!queue.try_dequeue(item)) return;
        assert(item == last + 1);
        last = item;
    };
    std::thread producer([&] {
        for (int item = 1; item <= items; item++)
            assert(queue.enqueue(item));
    });
    for (int tries = 0; tries < items; tries++)
        take();
    producer.join();
    while (last < items)
        take();
    assert(queue.size_approx() == 0);
}
