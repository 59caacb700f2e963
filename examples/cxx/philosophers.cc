// Philosophers round a table, each between two forks.
//
// Buggy: everybody takes the left fork first, and waits for the right one. Fixed: both are taken at once.
#include <cassert>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Fork {
  std::mutex mutex;
  int uses = 0;
};

class Philosopher {
public:
  Philosopher(std::string name, Fork &left, Fork &right) : name_(std::move(name)), left_(left), right_(right) {}

  void dine(int meals) {
    for (int meal = 0; meal < meals; meal++)
      eat();
  }

  int meals() const { return meals_; }

private:
  void eat() {
#ifdef FIXED
    std::scoped_lock both(left_.mutex, right_.mutex);
#else
    std::lock_guard<std::mutex> left(left_.mutex);
    std::lock_guard<std::mutex> right(right_.mutex);
#endif
    left_.uses++;
    right_.uses++;
    meals_++;
  }

  std::string name_;
  Fork &left_;
  Fork &right_;
  int meals_ = 0;
};

int main() {
  const std::vector<std::string> names = {"Plato", "Hypatia", "Kant"};
  std::vector<Fork> forks(names.size());
  std::vector<Philosopher> table;
  for (std::size_t i = 0; i < names.size(); i++)
    table.emplace_back(names[i], forks[i], forks[(i + 1) % forks.size()]);

  std::vector<std::thread> threads;
  for (Philosopher &philosopher : table)
    threads.emplace_back([&philosopher] { philosopher.dine(2); });
  for (std::thread &thread : threads)
    thread.join();

  for (const Fork &fork : forks)
    assert(fork.uses == 4);
  for (const Philosopher &philosopher : table)
    assert(philosopher.meals() == 2);
}
