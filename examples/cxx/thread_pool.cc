// A pool of threads that run tasks; who submits a task gets a future of its result.
//
// Buggy: the destructor sets stopping_ without the mutex (it is atomic, after all) and wakes the workers. A worker that
// has just seen stopping_ unset, and does not wait yet, misses that, and the destructor joins it for ever.
// Fixed: stopping_ is set under the mutex.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <utility>
#include <vector>

class ThreadPool {
public:
  explicit ThreadPool(std::size_t threads) {
    for (std::size_t i = 0; i < threads; i++)
      workers_.emplace_back([this] { work(); });
  }

  ~ThreadPool() {
#ifdef FIXED
    {
      std::lock_guard<std::mutex> guard(mutex_);
      stopping_ = true;
    }
#else
    stopping_ = true;
#endif
    ready_.notify_all();
    for (std::thread &worker : workers_)
      worker.join();
  }

  template <typename F> auto submit(F function) -> std::future<decltype(function())> {
    using Result = decltype(function());
    auto task = std::make_shared<std::packaged_task<Result()>>(std::move(function));
    std::future<Result> result = task->get_future();
    {
      std::lock_guard<std::mutex> guard(mutex_);
      tasks_.emplace([task] { (*task)(); });
    }
    ready_.notify_one();
    return result;
  }

private:
  void work() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        ready_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
        if (tasks_.empty())
          return;
        task = std::move(tasks_.front());
        tasks_.pop();
      }
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable ready_;
  std::queue<std::function<void()>> tasks_;
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> workers_;
};

int main() {
  ThreadPool pool(2);
  std::future<int> answer = pool.submit([] { return 6 * 7; });
  assert(answer.get() == 42);
}
