// Lazy initialization that looks at the pointer without the lock. A plain pointer: a race. With
// release and acquire on the pointer: clean.
//@ revisions: plain fixed
//@[plain] golden: yes
//@[plain] expect: bug
//@[plain] kind: data-race
//@[plain] cflags: -DTYPE=int*
//@[fixed] expect: verified
//@[fixed] cflags: -DTYPE=_Atomic(int*) -DFIXED=1
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
TYPE instance;
int storage;

#ifdef FIXED
#define PEEK atomic_load_explicit(&instance, memory_order_acquire)
#define PUBLISH(p) atomic_store_explicit(&instance, p, memory_order_release)
#else
#define PEEK instance
#define PUBLISH(p) (instance = (p))
#endif

static void *use(void *out) {
    int *p = PEEK;
    if (!p) {
        pthread_mutex_lock(&mutex);
        p = PEEK;
        if (!p) {
            p = &storage;
            *p = 42;
            PUBLISH(p);
        }
        pthread_mutex_unlock(&mutex);
    }
    *(int *)out = *p;
    return 0;
}

int main(void) {
    pthread_t a, b;
    int seen[2];
    pthread_create(&a, 0, use, &seen[0]);
    pthread_create(&b, 0, use, &seen[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return seen[0] == 42 && seen[1] == 42 ? 0 : 1;
}
