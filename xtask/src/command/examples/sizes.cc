// THREADS threads with OPERATIONS each: how many of them can be checked in a second, or in a minute?
// WORK is one of the classes.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

// Sections of one mutex.
struct Locked {
  std::mutex mutex;
  int sum = 0;

  void operation(int) {
    std::lock_guard<std::mutex> guard(mutex);
    sum++;
  }
  void meanwhile() {}
  void end() { assert(sum == THREADS * OPERATIONS); }
};

// Additions to one atomic variable, whose results are looked at.
struct Counted {
  std::atomic<int> sum{0};

  void operation(int) { assert(sum.fetch_add(1) < THREADS * OPERATIONS); }
  void meanwhile() {}
  void end() { assert(sum == THREADS * OPERATIONS); }
};

// Items for a queue with room for two, which main empties.
struct Queued {
  static constexpr std::size_t room = 2;
  std::mutex mutex;
  std::condition_variable filled, emptied;
  std::queue<int> items;

  void operation(int number) {
    std::unique_lock<std::mutex> lock(mutex);
    emptied.wait(lock, [this] { return items.size() < room; });
    items.push(number);
    filled.notify_one();
  }
  void meanwhile() {
    for (int item = 0; item < THREADS * OPERATIONS; item++) {
      std::unique_lock<std::mutex> lock(mutex);
      filled.wait(lock, [this] { return !items.empty(); });
      items.pop();
      emptied.notify_one();
    }
  }
  void end() { assert(items.empty()); }
};

// Nodes pushed on a lock-free stack and popped from it. No node is used twice, so that none comes back at its address.
struct Stacked {
  struct Node {
    Node *next;
  };
  std::atomic<Node *> top{nullptr};
  Node nodes[THREADS * OPERATIONS];

  void operation(int number) {
    Node *node = &nodes[number];
    node->next = top.load(std::memory_order_relaxed);
    while (!top.compare_exchange_strong(node->next, node, std::memory_order_release, std::memory_order_relaxed))
      ;
    Node *popped = top.load(std::memory_order_acquire);
    while (popped && !top.compare_exchange_strong(popped, popped->next, std::memory_order_acquire))
      ;
    assert(popped);
  }
  void meanwhile() {}
  void end() { assert(!top); }
};

int main() {
  WORK work;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < THREADS; thread++)
    threads.emplace_back([&work, thread] {
      for (int operation = 0; operation < OPERATIONS; operation++)
        work.operation(thread * OPERATIONS + operation);
    });
  work.meanwhile();
  for (std::thread &thread : threads)
    thread.join();
  work.end();
}
