// Two threads count: with a race, and with a mutex.
#include <cassert>
#include <mutex>
#include <thread>

static int counter;
static std::mutex mutex;

static void count() {
#ifdef FIXED
  std::lock_guard<std::mutex> guard(mutex);
#endif
  counter++;
}

int main() {
  std::thread one(count), other(count);
  one.join();
  other.join();
  assert(counter == 2);
}
