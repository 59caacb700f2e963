// A consumer polls a queue under a mutex: without optimization guards and results lie on its stack, where they are what
// they were, or gone, when a turn ends that found nothing. What it finds, it takes from the heap, and that is a change.
//
// [optional] A function returns what it found. [flag] A flag says that no more will come; the consumer looks at it first.
// [shared] The state is a string under a shared_mutex.
// [counts] No queue, but a counter of turns on the consumer's stack, which the producer reads when both are done: each
// turn changes it, so that none is in vain, and the consumer stops by itself after two.
//@ revisions: optional flag shared counts
//@ opt: O0 O2
//@ expect: verified
//@[optional] cflags: -DOPTIONAL
//@[optional] outcomes: got=7
//@[flag] cflags: -DFLAG
//@[flag] outcomes: got=2
//@[shared] cflags: -DSHARED
//@[shared] outcomes: got=3
//@[counts] cflags: -DCOUNTS
//@[counts] outcomes: got=1 found=1 | got=2 found=0 | got=2 found=1
#include <atomic>
#include <dpor.h>
#include <mutex>
#include <optional>
#include <queue>
#include <shared_mutex>
#include <string>
#include <thread>

static std::mutex m;

#if defined OPTIONAL
static std::queue<int> queue;
static void produce() {
    std::lock_guard<std::mutex> guard(m);
    queue.push(7);
}
static std::optional<int> pop() {
    std::lock_guard<std::mutex> guard(m);
    if (queue.empty()) return {};
    int front = queue.front();
    queue.pop();
    return front;
}
static int consume() {
    for (;;) {
        if (auto found = pop()) return *found;
    }
}
#elif defined FLAG
static std::queue<int> queue;
static std::atomic<bool> done;
static void produce() {
    for (int i = 0; i < 2; i++) {
        std::lock_guard<std::mutex> guard(m);
        queue.push(i);
    }
    done = true;
}
static int consume() {
    int got = 0;
    for (;;) {
        bool last = done;
        std::unique_lock<std::mutex> guard(m);
        if (!queue.empty()) {
            queue.pop();
            got++;
        } else if (last) {
            return got;
        }
    }
}
#elif defined SHARED
static std::shared_mutex shared;
static std::string state = "no";
static void produce() {
    std::unique_lock<std::shared_mutex> guard(shared);
    state = "yes";
}
static int consume() {
    for (;;) {
        std::shared_lock<std::shared_mutex> guard(shared);
        if (state == "yes") return int(state.size());
    }
}
#elif defined COUNTS
static bool flag;
static int *turns;
static void produce() {
    std::lock_guard<std::mutex> guard(m);
    flag = true;
}
static int consume() {
    int count = 0;
    turns = &count;
    bool found = false;
    while (!found && count < 2) {
        std::lock_guard<std::mutex> guard(m);
        ++*turns;
        found = flag;
    }
    dpor_observe("found", found);
    return count;
}
#endif

int main() {
    std::thread producer(produce);
    int got = consume();
    producer.join();
    dpor_observe("got", got);
}
