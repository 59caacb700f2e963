// A cache of the most recently used results: many threads read it, few write.
//
// Buggy: get() takes the lock as a reader, and yet moves what it found to the front of the list of recent use; two
// readers do that at once. Fixed: get() takes the lock as a writer where the order changes.
#include <cassert>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

class Cache {
public:
  explicit Cache(std::size_t capacity) : capacity_(capacity) {}

  std::optional<std::string> get(int key) {
#ifdef FIXED
    std::unique_lock<std::shared_mutex> lock(mutex_);
#else
    std::shared_lock<std::shared_mutex> lock(mutex_);
#endif
    auto found = entries_.find(key);
    if (found == entries_.end())
      return std::nullopt;
    recent_.splice(recent_.begin(), recent_, found->second);
    return found->second->second;
  }

  void put(int key, std::string value) {
    std::unique_lock<std::shared_mutex> lock(mutex_);
    if (auto found = entries_.find(key); found != entries_.end()) {
      found->second->second = std::move(value);
      return;
    }
    if (recent_.size() == capacity_) {
      entries_.erase(recent_.back().first);
      recent_.pop_back();
    }
    recent_.emplace_front(key, std::move(value));
    entries_[key] = recent_.begin();
  }

  bool contains(int key) const {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    return entries_.count(key) != 0;
  }

private:
  using Entry = std::pair<int, std::string>;

  const std::size_t capacity_;
  mutable std::shared_mutex mutex_;
  std::list<Entry> recent_;
  std::unordered_map<int, std::list<Entry>::iterator> entries_;
};

int main() {
  Cache cache(2);
  cache.put(1, "one");
  cache.put(2, "two");

  std::thread reader([&] {
    if (auto value = cache.get(1))
      assert(*value == "one");
  });
  std::thread other([&] {
    if (auto value = cache.get(2))
      assert(*value == "two");
  });
  cache.put(3, "three");
  reader.join();
  other.join();
  assert(cache.contains(3));
}
