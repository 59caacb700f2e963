// One exception in several threads: who drops the last reference destroys it, which comes after all that the
// others did with it. Each drop is an event on the count of references.
//
// `read`: main gives up its own reference while each of two threads drops four: the exception that
// rethrow_exception makes holds one until its handler ends, and there are three exception_ptr (a temporary
// for rethrow_exception, the parameter of `look`, the one in the lambda). All are changes of one word: words
// over m, a, a, a, a, b, b, b, b: 9!/(4! 4!) = 630 executions.
//
// `one`: main and one thread: 5 executions.
//
// `own`: an exception that nobody else gets makes no events, in whatever thread: 1 execution.
//
// `caught`: a thread catches what it throws, and gives main a reference by a variable under a mutex. Main
// finds none if it comes first; its own events are then none. Otherwise main drops what it copied (1), and
// the thread ends its handler (1), in both orders; the thread dropped the temporary of current_exception
// inside the lock. 1 + 2 = 3 executions. The last reference is the variable's, which ends after the join.
//
// `write`: two handlers write to one exception without order.
//@ revisions: read one own caught write
//@[read] cflags: -DREAD -DTHREADS=2
//@[read] expect: verified
//@[read] executions: 630
//@[one] cflags: -DREAD -DTHREADS=1
//@[one] expect: verified
//@[one] executions: 5
//@[own] cflags: -DOWN
//@[own] expect: verified
//@[own] executions: 1
//@[caught] cflags: -DCAUGHT
//@[caught] expect: verified
//@[caught] executions: 3
//@[write] cflags: -DREAD -DWRITE -DTHREADS=2
//@[write] expect: bug
//@[write] kind: data-race
//@ opt: O0 O2
#include <cassert>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

struct Failure {
    int *value;
    Failure() : value(new int(5)) {}
    Failure(const Failure &other) : value(new int(*other.value)) {}
    ~Failure() {
        *value = 0;
        delete value;
    }
};

static int look(std::exception_ptr pointer) {
    try {
        std::rethrow_exception(pointer);
    } catch (Failure &failure) {
#ifdef WRITE
        *failure.value += 1;
        return 5;
#else
        return *failure.value;
#endif
    }
}

int main() {
#ifdef READ
    std::exception_ptr pointer;
    try {
        throw Failure();
    } catch (...) {
        pointer = std::current_exception();
    }
    std::thread a([pointer] { assert(look(pointer) == 5); });
#if THREADS == 2
    std::thread b([pointer] { assert(look(pointer) == 5); });
#endif
    pointer = nullptr;
    a.join();
#if THREADS == 2
    b.join();
#endif
#elif defined OWN
    auto fail = [] {
        try {
            throw Failure();
        } catch (const Failure &failure) {
            assert(*failure.value == 5);
        }
    };
    std::thread a(fail), b(fail);
    a.join();
    b.join();
#else
    std::mutex mutex;
    std::exception_ptr shared;
    std::thread thread([&] {
        try {
            throw Failure();
        } catch (...) {
            std::lock_guard<std::mutex> lock(mutex);
            shared = std::current_exception();
        }
    });
    {
        std::unique_lock<std::mutex> lock(mutex);
        if (shared) {
            std::exception_ptr copy = shared;
            lock.unlock();
        }
    }
    thread.join();
#endif
    return 0;
}
