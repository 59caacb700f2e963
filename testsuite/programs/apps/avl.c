// A container library's AVL tree, with a read-write lock: look-ups share it, insertions do not.
// Source: Yang, Chen, Gopalakrishnan and Kirby checked the containers of libcprops 0.1.6, each with a test of up to three
// threads, and found two races in its AVL tree. Written anew, with two of our own.
//
// The tree has 1 and 2; the insertion of 3 makes 2 its root.
// Executions of `correct`: readers commute, so that an execution is, for each of the two look-ups, whether it comes
// before or after the insertion: 2^2 = 4.
// - counts: look-ups count themselves, under the read lock. looks: they take no lock.
//@ revisions: correct counts looks
//@ opt: O0 O2
//@ expect: bug
//@[correct] expect: verified
//@[correct] args: --reductions=commute,observers
//@[correct] executions: 4
//@[counts] cflags: -DCOUNTS
//@[counts] kind: data-race
//@[looks] opt: O0 // At O2 clang hoists the read, and drops its line.
//@[looks] cflags: -DLOOKS
//@[looks] kind: data-race
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { LEFT, RIGHT };

struct node {
    struct node *child[2];
    int key, height;
};

static struct node *root;
static int lookups;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static int height(struct node *node) { return node ? node->height : 0; }

static void measure(struct node *node) {
    int left = height(node->child[LEFT]), right = height(node->child[RIGHT]);
    node->height = 1 + (left > right ? left : right);
}

// The child on `side` takes the place of its parent.
static struct node *rotate(struct node *node, int side) {
    struct node *up = node->child[side];
    node->child[side] = up->child[!side];
    up->child[!side] = node;
    measure(node);
    measure(up);
    return up;
}

static struct node *balance(struct node *node) {
    measure(node);
    int slope = height(node->child[RIGHT]) - height(node->child[LEFT]);
    if (slope >= -1 && slope <= 1) {
        return node;
    }
    int side = slope > 0 ? RIGHT : LEFT;
    struct node *heavy = node->child[side];
    if (height(heavy->child[!side]) > height(heavy->child[side])) {
        node->child[side] = rotate(heavy, !side);
    }
    return rotate(node, side);
}

static struct node *add(struct node *node, int key) {
    if (!node) {
        node = calloc(1, sizeof *node);
        assert(node);
        node->key = key;
    } else if (key != node->key) {
        int side = key > node->key;
        node->child[side] = add(node->child[side], key);
    }
    return balance(node);
}

static void insert(int key) {
    pthread_rwlock_wrlock(&lock);
    root = add(root, key); //~[looks] race
    pthread_rwlock_unlock(&lock);
}

static int contains(int key) {
#ifndef LOOKS
    pthread_rwlock_rdlock(&lock);
#endif
#ifdef COUNTS
    lookups++; //~[counts] race
#endif
    struct node *node = root; //~[looks] race
    while (node && node->key != key) {
        node = node->child[key > node->key];
    }
#ifndef LOOKS
    pthread_rwlock_unlock(&lock);
#endif
    return node != 0;
}

static void destroy(struct node *node) {
    if (node) {
        destroy(node->child[LEFT]);
        destroy(node->child[RIGHT]);
        free(node);
    }
}

static void *grow(void *unused) {
    insert(3);
    return unused;
}

static void *look(void *unused) {
    assert(contains(1));
    return unused;
}

int main(void) {
    pthread_t threads[3];
    void *(*bodies[3])(void *) = {look, grow, look};
    insert(1);
    insert(2);
    for (int i = 0; i < 3; i++) {
        pthread_create(&threads[i], 0, bodies[i], 0);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], 0);
    }
    assert(root->key == 2 && height(root) == 2 && contains(3));
    assert(lookups >= 0);
    destroy(root);
    return 0;
}
