// A container library's heap (a priority queue in an array), with a mutex around each operation.
// Source: Yang, Chen, Gopalakrishnan and Kirby checked the containers of libcprops 0.1.6, each with a test of up to three
// threads; they found nothing in its heap. Written anew; the bugs are ours.
//
// Executions of `correct`: the orders of the sections: a thread puts two items into a heap of one, another takes two, the
// third takes one: 5! / (2! 2! 1!) = 30.
// - checks: a thread asks whether there is something, and takes it under the mutex without another look.
// - grows: the array is made larger before the mutex is taken.
//@ revisions: correct checks grows
//@ opt: O0 O2
//@ expect: bug
//@[correct] expect: verified
//@[correct] executions: 30
//@[checks] cflags: -DCHECKS
//@[checks] kind: assertion
//@[grows] cflags: -DGROWS
//@[grows] kind: data-race
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { EMPTY = -1 };

static int *items, size, capacity;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void swap(int a, int b) {
    int item = items[a];
    items[a] = items[b];
    items[b] = item;
}

static void rise(int i) {
    for (; i > 0 && items[i] < items[(i - 1) / 2]; i = (i - 1) / 2) {
        swap(i, (i - 1) / 2);
    }
}

static void sink(int i) {
    for (;;) {
        int least = i;
        for (int child = 2 * i + 1; child <= 2 * i + 2; child++) {
            if (child < size && items[child] < items[least]) {
                least = child;
            }
        }
        if (least == i) {
            return;
        }
        swap(i, least);
        i = least;
    }
}

static void reserve(void) {
    if (size == capacity) {
        capacity += 2;
        items = realloc(items, capacity * sizeof *items); //~[grows] race
        assert(items);
    }
}

static void put(int item) {
#ifdef GROWS
    reserve();
    pthread_mutex_lock(&lock);
#else
    pthread_mutex_lock(&lock);
    reserve();
#endif
    items[size++] = item;
    rise(size - 1);
    pthread_mutex_unlock(&lock);
}

#ifdef CHECKS
static int is_empty(void) {
    pthread_mutex_lock(&lock);
    int answer = size == 0;
    pthread_mutex_unlock(&lock);
    return answer;
}
#endif

// The least item.
static int take(void) {
    int item = EMPTY;
#ifdef CHECKS
    if (is_empty()) {
        return EMPTY;
    }
    pthread_mutex_lock(&lock);
    assert(size > 0); //~[checks] assertion
#else
    pthread_mutex_lock(&lock);
#endif
    if (size > 0) {
        item = items[0]; //~[grows] race
        items[0] = items[--size];
        sink(0);
    }
    pthread_mutex_unlock(&lock);
    return item;
}

static void *fill(void *unused) {
    put(3);
    put(1);
    return unused;
}

struct drainer {
    int times, taken;
};

static void *drain(void *given) {
    struct drainer *drainer = given;
    for (int i = 0; i < drainer->times; i++) {
        drainer->taken += take() != EMPTY;
    }
    return 0;
}

int main(void) {
    pthread_t filler, drainers[2];
    struct drainer drained[2] = {{2, 0}, {1, 0}};
    put(5);
    pthread_create(&filler, 0, fill, 0);
    for (int i = 0; i < 2; i++) {
        pthread_create(&drainers[i], 0, drain, &drained[i]);
    }
    pthread_join(filler, 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(drainers[i], 0);
    }
    int taken = drained[0].taken + drained[1].taken, last = 0;
    for (int item; (item = take()) != EMPTY; taken++) {
        assert(item > last);
        last = item;
    }
    assert(taken == 3);
    free(items);
    return 0;
}
