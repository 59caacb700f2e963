// A function lends a variable to a thread, and is left by an exception while it has a destructor to run. Then the
// caller calls another function, whose variable lies in the same place, lends that, and waits for it.
//
// Nothing but creations and joins orders anything: 1 execution.
// left: nobody waits for the first thread before the frame is unwound.
// waits: the destructor joins it, as a scope guard does. All of that twice: nothing is wrong.
// later: a semaphore lets the thread go when the frame has been unwound, and main waits for it before it goes on.
//@ revisions: left waits later
//@ opt: O0 O2
//@ args: -k
//@ executions: 1
//@[left] expect: bug
//@[left] kind: use-after-return
//@[left] message: whose life may have ended
//@[waits] cflags: -DWAITS
//@[waits] expect: verified
//@[later] cflags: -DLATER
//@[later] expect: bug
//@[later] kind: use-after-return
//@[later] message: whose life has ended
#include <pthread.h>
#include <semaphore.h>
#include <stdexcept>

static pthread_t borrower;
static sem_t unwound;
static volatile bool is_ready;

static void *borrow(void *variable) {
#ifdef LATER
    sem_wait(&unwound);
#endif
    ++*static_cast<int *>(variable);
    return nullptr;
}

struct Guard {
    ~Guard() {
#ifdef WAITS
        pthread_join(borrower, nullptr);
#endif
        is_ready = true;
    }
};

[[gnu::noinline]] static void lend() {
    int variable = 41;
    Guard guard;
    pthread_create(&borrower, nullptr, borrow, &variable);
    throw std::runtime_error("left");
}

[[gnu::noinline]] static void lend_there() {
    int variable = 42;
    pthread_t other;
#ifdef LATER
    sem_post(&unwound);
#endif
    pthread_create(&other, nullptr, borrow, &variable);
    pthread_join(other, nullptr);
}

static void once() {
    try {
        lend();
    } catch (const std::runtime_error &) {
    }
#ifdef LATER
    sem_post(&unwound);
#endif
#ifndef WAITS
    pthread_join(borrower, nullptr);
#endif
    lend_there();
}

int main() {
    sem_init(&unwound, 0, 0);
    once();
#ifdef WAITS
    once();
#endif
    sem_destroy(&unwound);
}
