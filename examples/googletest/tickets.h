#pragma once
#include <mutex>

// Tickets that several threads sell.
class Tickets {
public:
  explicit Tickets(int left) : left_(left) {}

  // Wrong: between the look and the sale another thread may sell the last one.
  bool sell() {
    if (left() == 0)
      return false;
    std::lock_guard<std::mutex> guard(mutex_);
    --left_;
    return true;
  }

  int left() const {
    std::lock_guard<std::mutex> guard(mutex_);
    return left_;
  }

private:
  mutable std::mutex mutex_;
  int left_;
};
