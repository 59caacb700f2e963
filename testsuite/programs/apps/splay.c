// A container library's splay tree: a look-up changes it, for it makes the key that it found the root.
// Source: Yang, Chen, Gopalakrishnan and Kirby checked the containers of libcprops 0.1.6, each with a test of up to three
// threads, and found a race in its splay tree. Written anew, with the race that look-ups invite.
//
// Executions of `correct`: the orders of the sections, which all have the write lock: one thread inserts and removes, two
// look up: 4! / (2! 1! 1!) = 12.
// - shares: look-ups take the read lock. peeks: whether the tree is empty is asked without a lock.
//@ revisions: correct shares peeks
//@ opt: O0 O2
//@ expect: bug
//@[correct] expect: verified
//@[correct] executions: 12
//@[shares] cflags: -DSHARES
//@[shares] kind: data-race
//@[peeks] cflags: -DPEEKS
//@[peeks] kind: data-race
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { LEFT, RIGHT };

struct node {
    struct node *child[2];
    int key;
};

static struct node *root;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void lock_to_look(void) {
#ifdef SHARES
    pthread_rwlock_rdlock(&lock);
#else
    pthread_rwlock_wrlock(&lock);
#endif
}

// The child on `side` takes the place of its parent.
static struct node *rotate(struct node *node, int side) {
    struct node *up = node->child[side];
    node->child[side] = up->child[!side];
    up->child[!side] = node;
    return up;
}

// Brings the key, or the last one on the way to it, to the top: two steps at a time, both on one side from the top.
static struct node *splay(struct node *node, int key) {
    if (!node || node->key == key) {
        return node;
    }
    int side = key > node->key;
    struct node *child = node->child[side];
    if (!child) {
        return node;
    }
    if (child->key != key) {
        int below = key > child->key;
        child->child[below] = splay(child->child[below], key);
        if (below == side) {
            node = rotate(node, side);
        } else if (child->child[below]) {
            node->child[side] = rotate(child, below);
        }
    }
    return node->child[side] ? rotate(node, side) : node;
}

static void insert(int key) {
    struct node *node = calloc(1, sizeof *node);
    assert(node);
    node->key = key;
    pthread_rwlock_wrlock(&lock);
    struct node *top = splay(root, key);
    if (top) {
        int side = top->key > key;
        node->child[side] = top;
        node->child[!side] = top->child[!side];
        top->child[!side] = 0;
    }
    root = node; //~[peeks] race
    pthread_rwlock_unlock(&lock);
}

static void drop_root(void) {
    struct node *old = root, *left = old->child[LEFT];
    root = old->child[RIGHT];
    if (left) {
        left = splay(left, old->key);
        left->child[RIGHT] = root;
        root = left;
    }
    free(old);
}

static void drop(int key) {
    pthread_rwlock_wrlock(&lock);
    root = splay(root, key);
    if (root && root->key == key) {
        drop_root();
    }
    pthread_rwlock_unlock(&lock);
}

static int contains(int key) {
#ifdef PEEKS
    if (!root) { //~[peeks] race
        return 0;
    }
#endif
    lock_to_look();
    root = splay(root, key); //~[shares] race
    int is_there = root && root->key == key;
    pthread_rwlock_unlock(&lock);
    return is_there;
}

static void *change(void *unused) {
    insert(2);
    drop(4);
    return unused;
}

static void *look(void *key) {
    assert(contains(*(int *)key));
    return 0;
}

int main(void) {
    static int keys[2] = {1, 5};
    pthread_t threads[3];
    for (int key = 1; key <= 5; key += key == 1 ? 2 : 1) {
        insert(key);
    }
    pthread_create(&threads[0], 0, change, 0);
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[1 + i], 0, look, &keys[i]);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], 0);
    }
    assert(contains(1) && contains(2) && contains(3) && !contains(4) && contains(5));
    while (root) {
        drop_root();
    }
    return 0;
}
