// Two owners of a node delete it if they find that they are the last, and say that they have: L1 S1 and L2 S2, an
// atomic load that finds 1 and a store of 0. One owner after the other: the second finds 0, 2 traces. Both loads
// before both stores, which come in 2 orders (--reductions=none: nobody reads them): both delete it, 2 traces.
//@ opt: O1
//@ args: -k --reductions=none
//@ expect: bug
//@ kind: double-free
//@ executions: 4
#include <atomic>
#include <pthread.h>

struct node {
    int value;
};
static std::atomic<int> owners;
static node *shared;

static void *give_up(void *unused) {
    if (owners.load() == 1) {
        owners.store(0);
        delete shared;
    }
    return unused;
}

int main() {
    shared = new node;
    owners = 1;
    pthread_t a, b;
    pthread_create(&a, nullptr, give_up, nullptr);
    pthread_create(&b, nullptr, give_up, nullptr);
    pthread_join(a, nullptr);
    pthread_join(b, nullptr);
    return 0;
}
