// C++ features: exceptions across instrumented calls, threads, thread_local objects, virtual calls.
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::condition_variable ready;
static bool is_ready;
thread_local std::vector<int> mine{1, 2, 3};
std::atomic<std::shared_ptr<int> *> box;
std::atomic<double> total;

struct Shape {
  virtual ~Shape() = default;
  virtual int area() const = 0;
};
struct Square : Shape {
  int side;
  explicit Square(int side) : side(side) {}
  int area() const override {
    if (side < 0)
      throw std::invalid_argument("negative");
    return side * side;
  }
};

static int careful(const Shape &shape) noexcept {
  try {
    return shape.area();
  } catch (const std::invalid_argument &error) {
    return static_cast<int>(std::string(error.what()).size());
  }
}

int main() {
  std::map<std::string, std::unique_ptr<Shape>> shapes;
  shapes["good"] = std::make_unique<Square>(3);
  shapes["bad"] = std::make_unique<Square>(-1);
  int sum = 0;
  std::thread worker([&] {
    for (auto &entry : shapes)
      sum += careful(*entry.second);
    mine.push_back(4);
    total = total + static_cast<double>(mine.size());
    std::lock_guard<std::mutex> lock(mutex);
    is_ready = true;
    ready.notify_one();
  });
  {
    std::unique_lock<std::mutex> lock(mutex);
    ready.wait(lock, [] { return is_ready; });
  }
  worker.join();
  static std::function<int(int)> twice = [](int x) { return 2 * x; };
  std::cout << twice(sum) << ' ' << total << ' ' << mine.size() << std::endl;
}
