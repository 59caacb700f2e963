// A virtual function is called while the destructor runs: a race on the pointer to the table, which only the calls of
// ThreadSanitizer tell of.
//@ expect: bug
//@ kind: data-race
//@ opt: O0
#include <new>
#include <thread>
struct Base {
    virtual void act() {}
    virtual ~Base() {}
};
struct Derived : Base {
    void act() override {}
    ~Derived() override {}
};
int main() {
    alignas(Derived) static char room[sizeof(Derived)];
    Base *object = new (room) Derived;
    std::thread other([object] { object->act(); });
    object->~Base();
    other.join();
}
