// The deque of Chase and Lev: its owner pushes and takes at the bottom, thieves steal at the top.
//
// Buggy: the owner takes the last task without a compare-exchange; a thief that read top_ before steals it, too.
// Fixed: who gets the last task is decided at top_.
#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <optional>
#include <thread>
#include <vector>

template <typename T, std::size_t Capacity> class WorkStealingDeque {
public:
  // By the owner alone.
  bool push(T task) {
    const long bottom = bottom_.load();
    if (bottom - top_.load() >= static_cast<long>(Capacity))
      return false;
    at(bottom).store(task);
    bottom_.store(bottom + 1);
    return true;
  }

  // By the owner alone.
  std::optional<T> take() {
    const long bottom = bottom_.load() - 1;
    bottom_.store(bottom);
    long top = top_.load();
    if (top > bottom) {
      bottom_.store(bottom + 1);
      return std::nullopt;
    }
    const T task = at(bottom).load();
    if (top < bottom)
      return task;
#ifdef FIXED
    const bool won = top_.compare_exchange_strong(top, top + 1);
#else
    const bool won = true;
    top_.store(top + 1);
#endif
    bottom_.store(bottom + 1);
    return won ? std::optional<T>(task) : std::nullopt;
  }

  // By any thread.
  std::optional<T> steal() {
    long top = top_.load();
    if (top >= bottom_.load())
      return std::nullopt;
    const T task = at(top).load();
    if (!top_.compare_exchange_strong(top, top + 1))
      return std::nullopt;
    return task;
  }

private:
  std::atomic<T> &at(long index) { return ring_[static_cast<std::size_t>(index) % Capacity]; }

  std::atomic<long> top_{0};
  std::atomic<long> bottom_{0};
  std::array<std::atomic<T>, Capacity> ring_{};
};

int main() {
  constexpr int tasks = 3;
  WorkStealingDeque<int, 4> deque;
  std::array<std::atomic<int>, tasks> runs{};
  const auto run = [&](std::optional<int> task) {
    if (task)
      runs[*task]++;
  };

  std::vector<std::thread> thieves;
  for (int thief = 0; thief < 2; thief++)
    thieves.emplace_back([&] { run(deque.steal()); });
  for (int task = 0; task < tasks; task++)
    deque.push(task);
  for (int task = 0; task < tasks; task++)
    run(deque.take());
  for (std::thread &thief : thieves)
    thief.join();
  while (std::optional<int> task = deque.take())
    run(task);
  for (const std::atomic<int> &count : runs)
    assert(count == 1);
}
