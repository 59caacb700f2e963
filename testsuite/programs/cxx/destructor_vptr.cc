// A thread makes a virtual call while another has begun to destroy the object: its destructor waits for the
// thread first. That a destructor stores the address of its class's virtual table again, before it waits, is
// no access of the program's. The post comes before the wait: 1 execution.
// revision late: the call comes after the post, so that the base's destructor, whose table is another, and
// the free may come before it.
//@ revisions: waits late
//@ opt: O0 O2
//@[waits] cflags: -std=c++20
//@[waits] expect: verified
//@[waits] executions: 1
//@[late] cflags: -std=c++20 -DLATE
//@[late] expect: bug
//@[late] kind: data-race
#include <semaphore.h>
#include <thread>

static sem_t called;

struct Base {
    virtual int answer() { return 1; }
    virtual ~Base() {}
};

struct Derived : Base {
    int answer() override { return 42; }
    ~Derived() override { sem_wait(&called); }
};

static Base *object = new Derived;
static int result;

int main() {
    sem_init(&called, 0, 0);
    std::thread thread([] {
#ifdef LATE
        sem_post(&called);
        result = object->answer();
#else
        result = object->answer();
        sem_post(&called);
#endif
    });
    delete object;
    thread.join();
    sem_destroy(&called);
    return result == 42 ? 0 : 1;
}
