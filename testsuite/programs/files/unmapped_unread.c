// A page that nobody wrote is unmapped before a thread looks at it, once or in a loop that waits: the
// thread faults, whatever the checker did with the page until then.
//@ expect: bug
//@ kind: crash
//@ message: segmentation fault
//@ revisions: once waits
//@[waits] cflags: -DWAITS
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

static atomic_int *map;

static void *look(void *unused) {
#ifdef WAITS
    while (!*map) //~[waits] crash
        continue;
    return unused;
#else
    return *map ? 0 : unused; //~[once] crash
#endif
}

int main(void) {
    pthread_t one;
    map = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&one, 0, look, 0);
    munmap(map, 8192);
    pthread_join(one, 0);
    return 0;
}
