// Two threads add to a number: under an absl::Mutex, or without it.
#include <absl/synchronization/mutex.h>
#include <cassert>
#include <cstring>
#include <thread>

static absl::Mutex mutex;
static int sum;

static void locked() {
    absl::MutexLock lock(&mutex);
    sum++;
}

static void racy() { sum++; }

int main(int count, char **arguments) {
    auto add = count > 1 && !std::strcmp(arguments[1], "racy") ? racy : locked;
    std::thread one(add), other(add);
    one.join();
    other.join();
    assert(sum == 2);
}
