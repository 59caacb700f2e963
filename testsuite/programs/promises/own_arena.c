// The runtime never allocates on the program's heap: a program that brings its own allocator counts
// the calls, and from the creation of its second thread to its end there are none but its own, in
// each execution (two orders of a store and a load).
//@ expect: verified
//@ executions: 2
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

static _Alignas(16) char pool[1 << 20];
static size_t used;
static int calls;
atomic_int cell;

void *malloc(size_t bytes) {
    char *block = pool + used;
    calls++;
    used += (bytes + 15) & ~(size_t)15;
    return block;
}
void free(void *block) { calls += block != 0; }
void *calloc(size_t count, size_t bytes) { return memset(malloc(count * bytes), 0, count * bytes); }
void *realloc(void *block, size_t bytes) {
    char *to = malloc(bytes);
    return block ? memmove(to, block, bytes) : to;
}
void *memalign(size_t boundary, size_t bytes) {
    used = (used + boundary - 1) / boundary * boundary;
    return malloc(bytes);
}
void *aligned_alloc(size_t boundary, size_t bytes) { return memalign(boundary, bytes); }

static void *work(void *unused) {
    atomic_store(&cell, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    int before = calls;
    char *volatile block = malloc(10);
    dpor_observe("seen", atomic_load(&cell));
    pthread_join(thread, 0);
    free(block);
    dpor_assert(calls == before + 2);
    return 0;
}
