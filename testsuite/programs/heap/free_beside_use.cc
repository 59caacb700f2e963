// Two threads have a pointer to a node in an atomic: one loads it and reads the node, the other exchanges it and
// deletes the node. Load and exchange come in 2 orders; with the load first nothing orders read and delete.
// For C11's sake the read races with it (c11); with --races=warn that is still an error, and with plain accesses
// as events it is the use of a freed node which one interleaving has.
//@ revisions: c11 warn explored
//@ opt: O1
//@ expect: bug
//@ executions: 2
//@[c11] args: -k
//@[c11] kind: data-race
//@[warn] args: -k --races=warn
//@[warn] kind: use-after-free
//@[explored] args: -k --races=off --plain=explore
//@[explored] kind: use-after-free
#include <atomic>
#include <pthread.h>

struct node {
    int value = 7;
};
static std::atomic<node *> head;
static int seen;

static void *look(void *unused) {
    if (node *found = head.load()) seen = found->value;
    return unused;
}

static void *take(void *unused) {
    delete head.exchange(nullptr);
    return unused;
}

int main() {
    head = new node;
    pthread_t a, b;
    pthread_create(&a, nullptr, look, nullptr);
    pthread_create(&b, nullptr, take, nullptr);
    pthread_join(a, nullptr);
    pthread_join(b, nullptr);
    return seen == 8;
}
