// C++ with --strict. revision part: a mutex of POSIX in a global object whose constructor does not know of
// it. revision member: the same in a class on the heap whose constructor clears it. Each is a warning.
// revisions right-*: the library's mutexes, whose constructors use the initializer: static, in a class on the
// heap, on the stack, in a container, the timed and the recursive ones; a member that is initialized with the
// macro; a mutex for a condition variable that takes any.
// Both threads lock it once, in 2 orders.
//@ revisions: part member right-static right-heap right-stack right-vector right-kinds right-macro right-any
//@ expect: verified
//@ args: --strict
//@ executions: 2
//@ opt: O0 O1 O2
//@ cflags: -std=c++17
//@[part] cflags: -DPART
//@[part] kind: uninitialized-object
//@[member] cflags: -DMEMBER
//@[member] kind: uninitialized-object
//@[right-static] cflags: -DSTATIC
//@[right-heap] cflags: -DHEAP
//@[right-stack] cflags: -DSTACK
//@[right-vector] cflags: -DVECTOR
//@[right-kinds] cflags: -DKINDS
//@[right-macro] cflags: -DMACRO
//@[right-any] cflags: -DANY
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <thread>
#include <vector>

static int shared;

template <typename Mutex> static void both(Mutex &mutex) {
    auto work = [&mutex] {
        mutex.lock();
        shared++;
        mutex.unlock();
    };
    std::thread thread(work);
    work();
    thread.join();
}

struct Posix {
    pthread_mutex_t mutex;
    int number;
    void lock() { pthread_mutex_lock(&mutex); }
    void unlock() { pthread_mutex_unlock(&mutex); }
};

struct Cleared : Posix {
    Cleared() { std::memset(&mutex, 0, sizeof mutex); }
};

struct Initialized {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    void lock() { pthread_mutex_lock(&mutex); }
    void unlock() { pthread_mutex_unlock(&mutex); }
};

struct Queue {
    std::vector<int> values;
    std::mutex mutex;
};

static Posix global;
static std::mutex of_library;

int main() {
#ifdef PART
    both(global);
#elif defined MEMBER
    both(*std::make_unique<Cleared>());
#elif defined STATIC
    both(of_library);
#elif defined HEAP
    auto queue = std::make_shared<Queue>();
    both(queue->mutex);
#elif defined STACK
    std::mutex mutex;
    both(mutex);
#elif defined VECTOR
    std::vector<Queue> queues(3);
    both(queues[1].mutex);
#elif defined KINDS
    static std::recursive_mutex recursive;
    std::timed_mutex timed;
    recursive.lock();
    recursive.unlock();
    both(timed);
#elif defined MACRO
    both(*std::make_unique<Initialized>());
#elif defined ANY
    static std::condition_variable_any any;
    any.notify_one();
    both(of_library);
#endif
}
