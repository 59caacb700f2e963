#pragma once
#include <atomic>

class Counter {
public:
  void add(int n) { value_.fetch_add(n); }
  // Wrong: what others add between the load and the store is lost.
  void add_in_two_steps(int n) { value_.store(value_.load() + n); }
  int value() const { return value_.load(); }

private:
  std::atomic<int> value_{0};
};
