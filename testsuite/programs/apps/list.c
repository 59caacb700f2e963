// A container library's sorted list, with a mutex around each operation.
// Source: Yang, Chen, Gopalakrishnan and Kirby checked the containers of libcprops 0.1.6, each with a test of up to three
// threads, and found a race in its list. Written anew; the bugs are ours.
//
// Executions of `correct`: the orders of the sections: two insertions, one removal and a look-up, and one look-up:
// 5! / (2! 2! 1!) = 30.
// - size: the length is read without the mutex. iterates: a look-up takes the mutex for each step alone, and the node
//   on which it stands is freed meanwhile. Its key is read without the mutex, which races with that.
//@ revisions: correct size iterates
//@ opt: O0 O2
//@ expect: bug
//@[correct] expect: verified
//@[correct] executions: 30
//@[size] cflags: -DSIZE
//@[size] kind: data-race
//@[iterates] cflags: -DITERATES
//@[iterates] kind: data-race use-after-free
//@[iterates] args: -k
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int key;
};

static struct node *first;
static int length;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// The link to the first node whose key is not below `key`.
static struct node **place(int key) {
    struct node **link = &first;
    while (*link && (*link)->key < key) {
        link = &(*link)->next;
    }
    return link;
}

static void insert(int key) {
    struct node *node = malloc(sizeof *node);
    assert(node);
    node->key = key;
    pthread_mutex_lock(&lock);
    struct node **link = place(key);
    node->next = *link;
    *link = node;
    length++; //~[size] race
    pthread_mutex_unlock(&lock);
}

static void drop(int key) {
    pthread_mutex_lock(&lock);
    struct node **link = place(key), *node = *link;
    if (node && node->key == key) {
        *link = node->next;
        length--;
        free(node); //~[iterates] race
    }
    pthread_mutex_unlock(&lock);
}

#ifdef ITERATES
static int contains(int key) {
    pthread_mutex_lock(&lock);
    struct node *node = first;
    pthread_mutex_unlock(&lock);
    while (node && node->key < key) { //~[iterates] race
        pthread_mutex_lock(&lock);
        node = node->next; //~[iterates] use-after-free
        pthread_mutex_unlock(&lock);
    }
    return node && node->key == key;
}
#else
static int contains(int key) {
    pthread_mutex_lock(&lock);
    struct node *node = *place(key);
    int is_there = node && node->key == key;
    pthread_mutex_unlock(&lock);
    return is_there;
}
#endif

static void *fill(void *unused) {
    insert(1);
    insert(3);
    return unused;
}

static void *change(void *unused) {
    drop(2);
    assert(contains(4));
    return unused;
}

static void *look(void *unused) {
#ifdef SIZE
    assert(length > 0); //~[size] race
#endif
    assert(contains(4));
    return unused;
}

int main(void) {
    pthread_t threads[3];
    insert(2);
    insert(4);
    pthread_create(&threads[0], 0, fill, 0);
    pthread_create(&threads[1], 0, change, 0);
    pthread_create(&threads[2], 0, look, 0);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], 0);
    }
    assert(length == 3 && contains(1) && !contains(2) && contains(3));
    while (first) {
        drop(first->key);
    }
    return 0;
}
