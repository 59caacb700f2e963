// A container library's hash list: chains in a table that is doubled when it is full, with a mutex around each operation,
// and a condition variable for those who wait for a key.
// Source: Yang, Chen, Gopalakrishnan and Kirby checked the containers of libcprops 0.1.6, each with a test of up to three
// threads: its hash list had a race, and destroyed a condition variable that it had not initialized. Written anew, with
// these.
//
// Executions of `correct`: the orders of the sections: one thread inserts two keys, another inserts one and looks it up,
// the third looks one up: 5! / (2! 2! 1!) = 30. `condvar` ends after them.
// - resizes: the table is found to be full under the mutex, and doubled without it. looks: a look-up takes no mutex.
// - condvar: the condition variable is destroyed and was never initialized; its memory held something else.
//@ revisions: correct resizes looks condvar
//@ opt: O0 O2
//@ expect: bug
//@[correct] expect: verified
//@[correct] executions: 30
//@[resizes] cflags: -DRESIZES
//@[resizes] kind: data-race
//@[looks] opt: O0 // At O2 clang hoists the read, and drops its line.
//@[looks] cflags: -DLOOKS
//@[looks] kind: data-race
//@[condvar] cflags: -DNO_INIT
//@[condvar] kind: uninitialized-object
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    int key;
};

struct hash_list {
    struct node **table;
    int buckets, length;
    pthread_mutex_t lock;
    pthread_cond_t inserted;
};

static void lock(struct hash_list *list) { pthread_mutex_lock(&list->lock); }

static void unlock(struct hash_list *list) { pthread_mutex_unlock(&list->lock); }

static struct hash_list *make(void) {
    struct hash_list *list = malloc(sizeof *list);
    assert(list);
    memset(list, 'f', sizeof *list);
    list->buckets = 2;
    list->length = 0;
    list->table = calloc(list->buckets, sizeof *list->table);
    assert(list->table);
    pthread_mutex_init(&list->lock, 0);
#ifndef NO_INIT
    pthread_cond_init(&list->inserted, 0);
#endif
    return list;
}

static void put(struct node **table, int buckets, struct node *node) {
    struct node **link = &table[node->key % buckets];
    node->next = *link;
    *link = node; //~[looks] race
}

static void resize(struct hash_list *list) {
    int buckets = 2 * list->buckets;
    struct node **table = calloc(buckets, sizeof *table);
    assert(table);
    for (int i = 0; i < list->buckets; i++) {
        for (struct node *node = list->table[i], *next; node; node = next) {
            next = node->next;
            put(table, buckets, node);
        }
    }
    free(list->table);
    list->table = table; //~[resizes] race
    list->buckets = buckets;
}

static void insert(struct hash_list *list, int key) {
    struct node *node = malloc(sizeof *node);
    assert(node);
    node->key = key;
    lock(list);
    put(list->table, list->buckets, node); //~[resizes] race
    int is_full = ++list->length > list->buckets;
#ifdef RESIZES
    unlock(list);
    if (is_full) {
        resize(list);
    }
#else
    if (is_full) {
        resize(list);
    }
    unlock(list);
#endif
}

static int contains(struct hash_list *list, int key) {
#ifndef LOOKS
    lock(list);
#endif
    struct node *node = list->table[key % list->buckets]; //~[looks] race
    while (node && node->key != key) {
        node = node->next;
    }
#ifndef LOOKS
    unlock(list);
#endif
    return node != 0;
}

static void destroy(struct hash_list *list) {
    for (int i = 0; i < list->buckets; i++) {
        for (struct node *node = list->table[i], *next; node; node = next) {
            next = node->next;
            free(node);
        }
    }
    pthread_cond_destroy(&list->inserted); //~[condvar] uninitialized-object
    pthread_mutex_destroy(&list->lock);
    free(list->table);
    free(list);
}

static void *insert_two(void *list) {
    insert(list, 2);
    insert(list, 3);
    return 0;
}

static void *insert_and_look(void *list) {
    insert(list, 4);
    assert(contains(list, 4));
    return 0;
}

static void *look(void *list) {
    assert(contains(list, 1));
    return 0;
}

int main(void) {
    pthread_t threads[3];
    void *(*bodies[3])(void *) = {insert_two, insert_and_look, look};
    struct hash_list *list = make();
    insert(list, 1);
    for (int i = 0; i < 3; i++) {
        pthread_create(&threads[i], 0, bodies[i], list);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], 0);
    }
    assert(list->length == 4 && list->buckets == 4);
    destroy(list);
    return 0;
}
