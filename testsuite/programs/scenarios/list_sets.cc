// Sets as lists in order, whose nodes have locks. The optimistic one looks for its place without locks, locks the two nodes,
// and looks anew whether they are still in the list; the lazy one (Heller et al., 2005) marks what is removed, so that it
// need not look through the list again, and contains() needs no lock. Both are data structures of Relinche (Golovin et
// al., POPL 2025), which found them linearizable. `unvalidated` and `lazy_unvalidated` do not look anew: what is inserted
// behind a node that is being removed is lost.
//@ revisions: optimistic unvalidated lazy lazy_unvalidated
//@[optimistic] expect: verified
//@[optimistic] checkpoint: snapshot
//@[unvalidated] expect: bug
//@[unvalidated] kind: not-linearizable
//@[unvalidated] cflags: -DUNVALIDATED
//@[lazy] expect: verified
//@[lazy] checkpoint: snapshot
//@[lazy] cflags: -DLAZY
//@[lazy_unvalidated] expect: bug
//@[lazy_unvalidated] kind: not-linearizable
//@[lazy_unvalidated] cflags: -DLAZY -DUNVALIDATED
#include <atomic>
#include <dpor/scenario.hpp>
#include <mutex>
#include <set>

struct List {
    struct Node {
        int key = 0;
        std::atomic<Node *> next{nullptr};
        std::atomic<bool> is_removed{false};
        std::mutex lock;
    };
    // A first and a last node, then 1, which is in the set; the others are for those who insert.
    Node nodes[7];
    std::atomic<int> used{3};

    List()
    {
        nodes[1].key = 9;
        nodes[2].key = 1;
        nodes[0].next = &nodes[2];
        nodes[2].next = &nodes[1];
    }
    bool is_in(Node *before, Node *at)
    {
#ifdef UNVALIDATED
        (void)before, (void)at;
        return true;
#elif defined LAZY
        return !before->is_removed && !at->is_removed && before->next == at;
#else
        for (Node *node = nodes; node; node = node->next)
            if (node == before)
                return before->next == at;
        return false;
#endif
    }
    template <class F> bool at(int key, F what)
    {
        for (;;) {
            Node *before = nodes, *at = before->next;
            while (at->key < key) {
                before = at;
                at = at->next;
            }
            std::scoped_lock guard(before->lock);
            std::scoped_lock second(at->lock);
            if (is_in(before, at))
                return what(before, at);
        }
    }
    bool insert(int key)
    {
        return at(key, [&](Node *before, Node *at) {
            if (at->key == key)
                return false;
            Node *node = &nodes[used++];
            node->key = key;
            node->next = at;
            before->next = node;
            return true;
        });
    }
    bool remove(int key)
    {
        return at(key, [&](Node *before, Node *at) {
            if (at->key != key)
                return false;
#ifdef LAZY
            at->is_removed = true;
#endif
            before->next = at->next.load();
            return true;
        });
    }
    bool contains(int key)
    {
#ifdef LAZY
        Node *at = nodes[0].next;
        while (at->key < key)
            at = at->next;
        return at->key == key && !at->is_removed;
#else
        return at(key, [&](Node *, Node *at) { return at->key == key; });
#endif
    }
};

struct Set {
    std::set<int> keys{1};
    bool insert(int key) { return keys.insert(key).second; }
    bool remove(int key) { return keys.erase(key) > 0; }
    bool contains(int key) { return keys.count(key) > 0; }
};

DPOR_SCENARIO(List, dpor::specification<Set>(),
              dpor::operation("insert", [](auto &list, int key) { return list.insert(key); }, dpor::values(2)),
              dpor::operation("remove", [](auto &list, int key) { return list.remove(key); }, dpor::values(1)),
              dpor::operation("contains", [](auto &list, int key) { return list.contains(key); }, dpor::values(2)))
