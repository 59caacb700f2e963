// What a state consists of, to compare ways of taking it back (`cargo xtask checkpoints`).
//
// T threads of S sections of one mutex each: (T S)! / (S!)^T executions, as in pthread/lock.c, if the
// events before them do not branch.
//   HEAP_MB     allocated before the threads, and written all over
//   REWRITE_MB  of it each execution writes to again, one byte of each page, in its last section
//   SCATTERED   each order of the sections writes to another part of the heap
//   PREFIX      events of one thread before the others begin
//   OBJECTS     so many mutexes are used and so many pipes are open
//   STARTUP     rounds of work before the threads
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef T
#define T 3
#endif
#ifndef S
#define S 2
#endif
#ifndef HEAP_MB
#define HEAP_MB 0
#endif
#ifndef REWRITE_MB
#define REWRITE_MB 0
#endif
#ifndef SCATTERED
#define SCATTERED 0
#endif
#ifndef PREFIX
#define PREFIX 0
#endif
#ifndef OBJECTS
#define OBJECTS 0
#endif
#ifndef STARTUP
#define STARTUP 0
#endif

enum { PAGE = 4096, MB = 1 << 20 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t others[OBJECTS + 1];
static unsigned sections, order = 1;
static char *heap;
static atomic_uint steps;

static void rewrite(void) {
    size_t part = (size_t)REWRITE_MB * MB;
    size_t parts = REWRITE_MB ? HEAP_MB / (REWRITE_MB + !REWRITE_MB) : 1;
    size_t begin = SCATTERED ? (order * 2654435761u >> 16) % parts * part : 0;
    for (size_t at = 0; at < part; at += PAGE) heap[begin + at]++;
}

static void *work(void *number) {
    for (int i = 0; i < S; i++) {
        pthread_mutex_lock(&mutex);
        order = order * 31 + (unsigned)(uintptr_t)number;
        if (++sections == T * S) rewrite();
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

static void *prefix(void *unused) {
    for (int i = 0; i < PREFIX; i++) atomic_store(&steps, i);
    return unused;
}

int main(void) {
    if (HEAP_MB) {
        heap = malloc((size_t)HEAP_MB * MB);
        memset(heap, 1, (size_t)HEAP_MB * MB);
    }
    for (int i = 0; i < OBJECTS; i++) {
        int ends[2];
        if (pipe(ends)) return 1;
        pthread_mutex_init(&others[i], 0);
    }
    volatile unsigned x = 1;
    for (long i = 0; i < STARTUP; i++) x = x * 1664525 + 1013904223;
    pthread_t threads[T], first;
    if (PREFIX) {
        pthread_create(&first, 0, prefix, 0);
        pthread_join(first, 0);
    }
    for (intptr_t i = 0; i < T; i++) pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < T; i++) pthread_join(threads[i], 0);
    return 0;
}
