// The program brings its own allocator, which takes from a static pool under a mutex: 2 threads
// that allocate twice each lock 4 times, 4! / (2! 2!) = 6 orders. The pool is memory like any
// other, so the addresses a thread gets depend on the order, and no more than those.
//@ expect: verified
//@ executions: 6
//@ outcomes-distinct: 6
//@ dfs: same-outcomes
//@ note: own malloc
#include <dpor.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static _Alignas(16) char pool[1 << 20];
static size_t used;
static int threads;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *malloc(size_t bytes) {
    if (threads) pthread_mutex_lock(&mutex);
    char *block = pool + used;
    used += (bytes + 15) & ~(size_t)15;
    if (threads) pthread_mutex_unlock(&mutex);
    return block;
}
void free(void *block) { (void)block; }
void *calloc(size_t count, size_t bytes) { return memset(malloc(count * bytes), 0, count * bytes); }
void *realloc(void *block, size_t bytes) {
    char *to = malloc(bytes);
    return block ? memmove(to, block, bytes) : to;
}

long at[4];

static void *work(void *first) {
    size_t start = first != 0 ? 2 : 0;
    at[start] = (char *)malloc(16) - pool;
    at[start + 1] = (char *)malloc(32) - pool;
    return 0;
}

int main(void) {
    pthread_t one, two;
    size_t before = used;
    threads = 1;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, at);
    pthread_join(one, 0);
    pthread_join(two, 0);
    threads = 0;
    dpor_observe("a", at[0] - (long)before);
    dpor_observe("b", at[1] - (long)before);
    dpor_observe("c", at[2] - (long)before);
    dpor_observe("d", at[3] - (long)before);
    return 0;
}
