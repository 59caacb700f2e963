// Consumers that poll until they have an item: what looks is a function, which may store and return an item, but does
// neither if there is none.
// [slot] One place. By hand, without optimization: the loop is known to be as before only after a turn of which the step
// before it stored nothing, so two looks in vain come before the thread goes no further: the item is there before the
// first or the second, 2 executions, or later, 1 blocked. With it the function is inlined, and the look waits: 1.
// [queue] Vyukov's intrusive queue of many producers: what looks reads the stub's link, and only that, where there is
// nothing. As above without optimization; with it, the first look comes after the link is set, 1 execution, or before
// it, and the thread goes no further: 1 is blocked.
// Both are counted by brute force, too: testsuite/tests/suite/waiting_for_others.rs.
// [guard], [unique] A flag that a mutex protects, with the guards of the library. As in polls_locked.c: 1, and 1 blocked.
//@ args: --reductions=none
//@ expect: verified
//@ revisions: slot slot_inlined queue queue_inlined guard unique
//@[slot] executions: 2
//@[slot] blocked: 1
//@[slot] opt: O0
//@[slot] cflags: -DSLOT
//@[slot_inlined] executions: 1
//@[slot_inlined] opt: O2
//@[slot_inlined] cflags: -DSLOT
//@[queue] executions: 2
//@[queue] blocked: 1
//@[queue] opt: O0
//@[queue] cflags: -DQUEUE
//@[queue_inlined] executions: 1
//@[queue_inlined] blocked: 1
//@[queue_inlined] opt: O2
//@[queue_inlined] cflags: -DQUEUE
//@[guard] executions: 1
//@[guard] blocked: 1
//@[guard] opt: O0
//@[guard] cflags: -DLOCK=lock_guard
//@[unique] executions: 1
//@[unique] blocked: 1
//@[unique] opt: O0
//@[unique] cflags: -DLOCK=unique_lock
#include <atomic>
#include <mutex>
#include <thread>

struct node {
    std::atomic<node *> next{nullptr};
};

static node item;

#if defined(SLOT)
static std::atomic<node *> slot;
static node *taken;

static void give() { slot.store(&item); }

static bool take() {
    if (!taken) {
        node *found = slot.load();
        if (!found) return false;
        taken = found;
    }
    taken = nullptr;
    return true;
}
#elif defined(QUEUE)
static node stub;
static std::atomic<node *> head{&stub};
static node *tail = &stub;

static void push(node *added) {
    added->next.store(nullptr);
    node *before = head.exchange(added);
    before->next.store(added);
}

static void give() { push(&item); }

static bool take() {
    node *first = tail, *next = first->next.load();
    if (first == &stub) {
        if (!next) return false;
        tail = next;
        first = next;
        next = next->next.load();
    }
    if (next) {
        tail = next;
        return true;
    }
    if (first != head.load()) return false;
    push(&stub);
    next = first->next.load();
    if (!next) return false;
    tail = next;
    return true;
}
#else
static std::mutex lock;
static bool given;

static void give() {
    std::LOCK<std::mutex> hold(lock);
    given = true;
}

static bool take() {
    std::LOCK<std::mutex> hold(lock);
    return given;
}
#endif

int main() {
    std::thread thread([] { give(); });
    int items = 0;
    while (items < 1) {
        if (take()) items++;
    }
    thread.join();
}
