// A queue with room for a few items, in the manner of C++20: semaphores count places and items.
//
// Buggy: the semaphores let as many producers in as there are free places, and all of them write to the place at
// tail_. Fixed: a mutex keeps the positions.
//
// The fixed queue has semaphores of its own: with those of libstdc++ 12 (-DFIXED -DSTD_SEMAPHORES) it can hang, which
// is a bug of that library (GCC PR 104928).
#include <array>
#include <cassert>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

#if defined(FIXED) && !defined(STD_SEMAPHORES)
class Semaphore {
public:
  explicit Semaphore(std::ptrdiff_t count) : count_(count) {}

  void acquire() {
    std::unique_lock<std::mutex> lock(mutex_);
    risen_.wait(lock, [this] { return count_ > 0; });
    count_--;
  }

  void release() {
    std::lock_guard<std::mutex> guard(mutex_);
    count_++;
    risen_.notify_one();
  }

private:
  std::mutex mutex_;
  std::condition_variable risen_;
  std::ptrdiff_t count_;
};
#else
using Semaphore = std::counting_semaphore<>;
#endif

template <typename T, std::size_t Capacity> class BoundedQueue {
public:
  void push(T item) {
    places_.acquire();
    {
#ifdef FIXED
      std::lock_guard<std::mutex> guard(mutex_);
#endif
      ring_[tail_] = std::move(item);
      tail_ = (tail_ + 1) % Capacity;
    }
    items_.release();
  }

  T pop() {
    items_.acquire();
    T item;
    {
#ifdef FIXED
      std::lock_guard<std::mutex> guard(mutex_);
#endif
      item = std::move(ring_[head_]);
      head_ = (head_ + 1) % Capacity;
    }
    places_.release();
    return item;
  }

private:
  Semaphore places_{Capacity};
  Semaphore items_{0};
  std::array<T, Capacity> ring_{};
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
  std::mutex mutex_;
};

int main() {
  constexpr int producers = 2;
  constexpr int items_each = 1;
  BoundedQueue<int, 2> queue;

  int sum = 0;
  {
    std::vector<std::jthread> threads;
    for (int producer = 0; producer < producers; producer++)
      threads.emplace_back([&queue, producer] {
        for (int item = 0; item < items_each; item++)
          queue.push(10 * producer + item + 1);
      });
    for (int item = 0; item < producers * items_each; item++)
      sum += queue.pop();
  }
  assert(sum == 12);
}
