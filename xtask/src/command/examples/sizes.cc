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

  void operation() {
    std::lock_guard<std::mutex> guard(mutex);
    sum++;
  }
  void meanwhile() {}
  void end() { assert(sum == THREADS * OPERATIONS); }
};

// Additions to one atomic variable, whose results are looked at.
struct Counted {
  std::atomic<int> sum{0};

  void operation() { assert(sum.fetch_add(1) < THREADS * OPERATIONS); }
  void meanwhile() {}
  void end() { assert(sum == THREADS * OPERATIONS); }
};

// Items for a queue that main empties.
struct Queued {
  std::mutex mutex;
  std::condition_variable filled;
  std::queue<int> items;

  void operation() {
    std::lock_guard<std::mutex> guard(mutex);
    items.push(1);
    filled.notify_one();
  }
  void meanwhile() {
    for (int item = 0; item < THREADS * OPERATIONS; item++) {
      std::unique_lock<std::mutex> lock(mutex);
      filled.wait(lock, [this] { return !items.empty(); });
      items.pop();
    }
  }
  void end() { assert(items.empty()); }
};

int main() {
  WORK work;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < THREADS; thread++)
    threads.emplace_back([&work] {
      for (int operation = 0; operation < OPERATIONS; operation++)
        work.operation();
    });
  work.meanwhile();
  for (std::thread &thread : threads)
    thread.join();
  work.end();
}
