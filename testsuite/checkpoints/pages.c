// Programs whose state is spread over thousands of pages, by a seed: what a restore forgets is seen in the sum over all
// pages, which is what an execution observes. T threads of S sections of one mutex each.
//
// Before its first section each thread writes so many pages that a checkpoint makes pages cold (runtime/machine's
// snapshot/cooling.rs), in each section some: one after the other, here and there, by a system call, on its stack, in a
// block of its own, and what it unmaps is gone.
#include <dpor.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef SEED
#define SEED 1
#endif
#ifndef T
#define T 3
#endif
#ifndef S
#define S 2
#endif

#ifndef PAGES_EACH
#define PAGES_EACH 1024
#endif

enum { PAGE = 4096, PAGES = PAGES_EACH, EXTRA = 64 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char data[T * PAGES * PAGE];
static char *heap, *extra;
static unsigned order = SEED;

static unsigned next(unsigned *random) {
    *random = *random * 1664525u + 1013904223u;
    return *random >> 8;
}

// Each page has two words that are written and summed up: of whoever has the mutex, and of the thread that begins.
static unsigned *word(char *memory, unsigned page) {
    return (unsigned *)(memory + (size_t)page * PAGE + page * 52 % (PAGE - 8));
}

static void write_pages(char *memory, unsigned count, unsigned first, unsigned pages, unsigned value) {
    for (unsigned i = 0; i < pages; i++) *word(memory, (first + i) % count) += value + i;
}

static void begin(char *memory, unsigned first, unsigned pages, unsigned value) {
    for (unsigned i = 0; i < pages; i++) word(memory, first + i)[1] += value + i;
}

static void on_stack(unsigned value) {
    volatile char deep[16 * PAGE];
    for (int i = 0; i < 16; i++) deep[i * PAGE] = (char)value;
    order += (unsigned char)deep[5 * PAGE];
}

static void by_the_kernel(unsigned page) {
    int zero = open("/dev/zero", O_RDONLY);
    for (unsigned i = 0; i < 3; i++)
        if (read(zero, word(heap, page + i), sizeof(unsigned)) != sizeof(unsigned)) abort();
    close(zero);
}

static void section(unsigned *random) {
    unsigned value = order = order * 31 + next(random) % 7;
    unsigned page = next(random) % (T * PAGES - 4);
    switch (next(random) % 7) {
    case 0: write_pages(heap, T * PAGES, page, next(random) % 900, value); break;
    case 1: write_pages(data, T * PAGES, page, 1 + next(random) % 3, value); break;
    case 2:
        for (int i = 0; i < 40; i++) write_pages(heap, T * PAGES, next(random) % (T * PAGES), 1, value);
        break;
    case 3: by_the_kernel(page); break;
    case 4: on_stack(value); break;
    case 5: {
        char *block = malloc(300 * PAGE);
        memset(block, (int)value, 300 * PAGE);
        order += (unsigned char)block[77 * PAGE];
        free(block);
        break;
    }
    default:
        if (extra) {
            order += *word(extra, page % EXTRA);
            munmap(extra, EXTRA * PAGE);
            extra = 0;
        }
    }
}

static void *work(void *number) {
    unsigned me = (unsigned)(size_t)number, random = SEED * 97 + me;
    begin(me % 2 ? heap : data, me * PAGES, PAGES, SEED + me);
    begin(me % 2 ? data : heap, me * PAGES, PAGES / 2, SEED + me);
    for (int i = 0; i < S; i++) {
        pthread_mutex_lock(&mutex);
        section(&random);
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

int main(void) {
    pthread_t threads[T];
    heap = malloc((size_t)T * PAGES * PAGE);
    memset(heap, 0, (size_t)T * PAGES * PAGE);
    extra = mmap(0, EXTRA * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (unsigned i = 0; i < EXTRA; i++) *word(extra, i) = i;
    for (size_t i = 0; i < T; i++) pthread_create(&threads[i], 0, work, (void *)i);
    for (size_t i = 0; i < T; i++) pthread_join(threads[i], 0);
    unsigned sum = order;
    for (unsigned i = 0; i < T * PAGES; i++) {
        unsigned *one = word(heap, i), *other = word(data, i);
        sum = sum * 31 + one[0] + 3 * one[1] + 7 * other[0] + 11 * other[1];
    }
    if (extra) for (unsigned i = 0; i < EXTRA; i++) sum = sum * 31 + *word(extra, i);
    dpor_observe("sum", sum);
    return 0;
}
