// Tasks and threads that refer to a variable of the function that started them. Its caller waits for their results.
//
// task: the function returns the future of a task that reads the variable. copies: the task has its own. The variable
// is accessed plainly; all else is the library's, which hands over the result: setting the state and asking for it have
// two orders, of which asking first waits. Neither number matters here.
// detached: a thread that is detached and tells by a semaphore when it is done, to main. waits: to the function itself.
//@ revisions: task copies detached waits
//@ opt: O0 O1 O2
//@ args: -k
//@[task] expect: bug
//@[task] kind: use-after-return
//@[copies] cflags: -DCOPIES
//@[copies] expect: verified
//@[detached] cflags: -DTHREAD
//@[detached] expect: bug
//@[detached] kind: use-after-return
//@[waits] cflags: -DTHREAD -DWAITS
//@[waits] expect: verified
#include <functional>
#include <future>
#include <semaphore.h>
#include <thread>

static sem_t done;

#ifdef THREAD
// Other files might look at it, so that it is computed.
int sum;

// It only reads the variable: what it wrote there might be what main's next call has saved on the stack.
static void adds(int &number) {
    sum = number + 1;
    sem_post(&done);
}

[[gnu::noinline]] static void start(int number) {
    int variable = number;
    std::thread(adds, std::ref(variable)).detach();
#ifdef WAITS
    sem_wait(&done);
#endif
}
#else
[[gnu::noinline]] static std::future<int> start(int number) {
    int variable = number;
#ifdef COPIES
    return std::async(std::launch::async, [variable] { return variable + 1; });
#else
    return std::async(std::launch::async, [&variable] { return variable + 1; });
#endif
}
#endif

[[gnu::noinline]] static int other(int number) {
    volatile int unused[16];
    unused[3] = number;
    return unused[3];
}

int main() {
#ifdef THREAD
    sem_init(&done, 0, 0);
    start(41);
    other(7);
#ifndef WAITS
    sem_wait(&done);
#endif
    sem_destroy(&done);
    return 0;
#else
    auto result = start(41);
    other(7);
    int got = result.get();
#ifdef COPIES
    return got != 42;
#else
    return 0 * got;
#endif
#endif
}
