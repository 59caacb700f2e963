// Three threads drop a boost::intrusive_ptr each, and the library's counter asks who is the last: 3 executions.
//@ expect: verified
//@ executions: 3
//@ args: --reductions=counters
//@ opt: O2
#include <pthread.h>
#if __has_include(<boost/smart_ptr/intrusive_ref_counter.hpp>)
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
namespace pointers = boost;
#else
// The same in few lines.
#include <atomic>
namespace pointers {
template <class T> struct intrusive_ref_counter {
    std::atomic<int> count{0};
};
template <class T> struct intrusive_ptr {
    T *at = nullptr;
    intrusive_ptr &operator=(T *value) {
        at = value;
        at->count.fetch_add(1, std::memory_order_relaxed);
        return *this;
    }
    intrusive_ptr &operator=(const intrusive_ptr &other) { return *this = other.at; }
    T *operator->() const { return at; }
    void reset() {
        if (at->count.fetch_sub(1, std::memory_order_acq_rel) == 1) delete at;
        at = nullptr;
    }
};
}
#endif

struct Value : pointers::intrusive_ref_counter<Value> {
    int uses[3] = {};
};

static pointers::intrusive_ptr<Value> own[3];

static void *drop(void *number) {
    own[(long)number]->uses[(long)number] = 1;
    own[(long)number].reset();
    return 0;
}

int main() {
    own[0] = own[1] = own[2] = new Value;
    pthread_t threads[3];
    for (long i = 0; i < 3; i++) pthread_create(&threads[i], 0, drop, (void *)i);
    for (pthread_t thread : threads) pthread_join(thread, 0);
}
