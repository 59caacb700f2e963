// The kernel writes into pages that no execution has touched since the checkpoint: read, fread,
// stat, getrandom. Each must succeed, each page must be as it was again in the next execution, and
// the random bytes depend on the thread alone. The store and the load give two traces.
//@ expect: verified
//@ outcomes-distinct: 2
#include <dpor.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static _Alignas(4096) char pages[6][4096];
atomic_int cell;

static int is_zero(const char *page) {
    for (int i = 0; i < 4096; i++)
        if (page[i]) return 0;
    return 1;
}

static void *fill(void *unused) {
    atomic_store(&cell, 1);
    int file = open("/proc/self/exe", O_RDONLY);
    dpor_assert(file >= 0 && is_zero(pages[0]));
    dpor_assert(read(file, pages[0], 100) == 100 && memcmp(pages[0], "\177ELF", 4) == 0);
    close(file);
    FILE *stream = fopen("/proc/self/exe", "r");
    dpor_assert(stream && is_zero(pages[1]));
    // More than a FILE's buffer: read straight into the page.
    dpor_assert(fread(pages[1], 1, 4096, stream) == 4096 && memcmp(pages[1], "\177ELF", 4) == 0);
    fclose(stream);
    dpor_assert(is_zero(pages[2]) && stat("/", (struct stat *)pages[2]) == 0 && !is_zero(pages[2]));
    dpor_assert(is_zero(pages[3]) && getrandom(pages[3], 64, 0) == 64 && !is_zero(pages[3]));
    int random;
    memcpy(&random, pages[3], sizeof random);
    dpor_observe("random", random != 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, fill, 0);
    dpor_observe("seen", atomic_load(&cell));
    pthread_join(thread, 0);
    return 0;
}
