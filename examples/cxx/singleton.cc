// The settings of a program, read when they are first asked for.
//
// Buggy: the look without the lock is relaxed ("it is only a pointer"): who sees the pointer need not see what it
// points to. Fixed: the store of the pointer releases, the look acquires.
#include <atomic>
#include <cassert>
#include <map>
#include <mutex>
#include <string>
#include <thread>

class Settings {
public:
  static const Settings &instance() {
#ifdef FIXED
    Settings *settings = instance_.load(std::memory_order_acquire);
#else
    Settings *settings = instance_.load(std::memory_order_relaxed);
#endif
    if (settings == nullptr) {
      std::lock_guard<std::mutex> guard(mutex_);
      settings = instance_.load(std::memory_order_relaxed);
      if (settings == nullptr) {
        settings = new Settings;
        instance_.store(settings, std::memory_order_release);
      }
    }
    return *settings;
  }

  static void destroy() { delete instance_.exchange(nullptr); }

  const std::string &get(const std::string &key) const { return values_.at(key); }

private:
  Settings() : values_{{"host", "localhost"}, {"user", "guest"}} {}

  static std::atomic<Settings *> instance_;
  static std::mutex mutex_;
  std::map<std::string, std::string> values_;
};

std::atomic<Settings *> Settings::instance_{nullptr};
std::mutex Settings::mutex_;

int main() {
  std::thread connection([] { assert(Settings::instance().get("host") == "localhost"); });
  std::thread session([] { assert(Settings::instance().get("user") == "guest"); });
  connection.join();
  session.join();
  Settings::destroy();
}
