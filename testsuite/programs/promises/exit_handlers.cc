// exit runs on the fiber: exit handlers and static destructors are part of the execution, also when
// a thread other than main calls it. What they print is part of the output, in their order: last
// registered, first run; one that a handler registers comes next; the constructor of the global came
// before all of them, so its destructor comes last.
//@ revisions: main thread
//@[main] cflags: -DFROM_MAIN
//@ expect: verified
//@ executions: 1
//@ outputs: last\nlate\nfirst\ndestructor\n
#include <cstdio>
#include <cstdlib>
#include <dpor.h>
#include <pthread.h>

struct Global {
    pthread_t self = pthread_self();
    ~Global() { std::puts("destructor"); }
} global;

static bool is_main() { return pthread_equal(pthread_self(), global.self) != 0; }

static void late() { std::puts("late"); }
static void first() { std::puts("first"); }
static void last() {
#ifdef FROM_MAIN
    dpor_assert(is_main());
#else
    dpor_assert(!is_main());
#endif
    std::atexit(late);
    std::puts("last");
}

static void *work(void *unused) {
#ifndef FROM_MAIN
    std::exit(0);
#endif
    return unused;
}

int main() {
    pthread_t thread;
    std::atexit(first);
    std::atexit(last);
    pthread_create(&thread, nullptr, work, nullptr);
    pthread_join(thread, nullptr);
    std::exit(0);
}
