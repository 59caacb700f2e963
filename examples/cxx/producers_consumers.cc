// Producers hand orders to consumers through a queue, and close it at the end.
//
// Buggy: pop() waits with `if`. A consumer that was woken for an order finds the queue empty where another consumer was
// faster. Fixed: pop() looks again after each wait.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Order {
  int number = 0;
  std::string customer;
};

class OrderQueue {
public:
  void push(Order order) {
    std::lock_guard<std::mutex> guard(mutex_);
    orders_.push_back(std::move(order));
    changed_.notify_one();
  }

  // Nobody pushes any more.
  void close() {
    std::lock_guard<std::mutex> guard(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  // The oldest order; none if the queue is closed and empty.
  std::optional<Order> pop() {
    std::unique_lock<std::mutex> lock(mutex_);
#ifdef FIXED
    while (orders_.empty() && !closed_)
#else
    if (orders_.empty() && !closed_)
#endif
      changed_.wait(lock);
    if (closed_ && orders_.empty())
      return std::nullopt;
    Order order = std::move(orders_.front());
    orders_.pop_front();
    return order;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Order> orders_;
  bool closed_ = false;
};

int main() {
  OrderQueue queue;
  int delivered[2] = {0, 0};

  std::vector<std::thread> consumers;
  for (int &count : delivered)
    consumers.emplace_back([&queue, &count] {
      while (std::optional<Order> order = queue.pop()) {
        assert(order->number > 0);
        count++;
      }
    });
  std::thread producer([&queue] {
    queue.push({1, "Ada"});
    queue.push({2, "Grace"});
    queue.push({3, "Edsger"});
  });
  producer.join();
  queue.close();
  for (std::thread &consumer : consumers)
    consumer.join();
  assert(delivered[0] + delivered[1] == 3);
}
