// A logger whose callers do not wait for the disk: a thread of its own writes what they leave in a buffer.
//
// Buggy: the writer ends as soon as it sees that the logger closes, and what came after its last look is lost.
// Fixed: it writes the rest first.
#include <cassert>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

class Logger {
public:
  explicit Logger(std::vector<std::string> &sink) : sink_(sink), writer_([this] { write(); }) {}

  ~Logger() {
    {
      std::lock_guard<std::mutex> guard(mutex_);
      closing_ = true;
    }
    changed_.notify_one();
    writer_.join();
  }

  template <typename... Parts> void log(const Parts &...parts) {
    std::ostringstream line;
    (line << ... << parts);
    {
      std::lock_guard<std::mutex> guard(mutex_);
      buffer_.push_back(line.str());
    }
    changed_.notify_one();
  }

private:
  void write() {
    std::unique_lock<std::mutex> lock(mutex_);
#ifdef FIXED
    while (!closing_ || !buffer_.empty()) {
#else
    while (!closing_) {
#endif
      changed_.wait(lock, [this] { return closing_ || !buffer_.empty(); });
      std::vector<std::string> lines;
      lines.swap(buffer_);
      lock.unlock();
      for (std::string &line : lines)
        sink_.push_back(std::move(line));
      lock.lock();
    }
  }

  std::vector<std::string> &sink_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> buffer_;
  bool closing_ = false;
  std::thread writer_;
};

int main() {
  std::vector<std::string> file;
  {
    Logger logger(file);
    std::thread request([&logger] { logger.log("request from ", "10.0.0.", 7); });
    logger.log("listening on port ", 8080);
    logger.log("ready");
    request.join();
  }
  assert(file.size() == 3);
}
