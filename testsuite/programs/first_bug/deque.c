// A work-stealing deque whose owner takes the last item without an exchange: a thief that has looked takes it, too.
// Source: Chase and Lev, SPAA 2005, whose owner exchanges the top for the last item.
//@ expect: bug
//@ kind: assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { ITEMS = 3 };

static atomic_int top, bottom, items[ITEMS], taken[ITEMS];

static void use(int item) {
    int before = atomic_fetch_add(&taken[item], 1);
    assert(before == 0);
}

static void push(int item) {
    int at = atomic_load(&bottom);
    atomic_store(&items[at], item);
    atomic_store(&bottom, at + 1);
}

static void take(void) {
    int at = atomic_load(&bottom) - 1;
    atomic_store(&bottom, at);
    if (atomic_load(&top) > at) {
        atomic_store(&bottom, at + 1);
        return;
    }
    use(atomic_load(&items[at]));
}

static void steal(void) {
    int at = atomic_load(&top);
    if (at >= atomic_load(&bottom)) return;
    int item = atomic_load(&items[at]);
    if (atomic_compare_exchange_strong(&top, &at, at + 1)) use(item);
}

static void *owner(void *unused) {
    for (int item = 0; item < ITEMS; item++) push(item);
    for (int i = 0; i < ITEMS; i++) take();
    return unused;
}

static void *thief(void *unused) {
    steal();
    steal();
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, owner, 0);
    pthread_create(&b, 0, thief, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
