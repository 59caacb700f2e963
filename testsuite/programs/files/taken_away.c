// Private memory that one thread uses while another takes it away, by a call that is no event: the other
// order would fault or find zeros, so the two race, in whichever order they come.
//@ expect: bug
//@ kind: data-race
//@ revisions: before after protected emptied moved replaced
//@[after] cflags: -DAFTER
//@[protected] cflags: -DAFTER -DPROTECTED
//@[emptied] cflags: -DAFTER -DEMPTIED
//@[moved] cflags: -DAFTER -DMOVED
//@[replaced] cflags: -DAFTER -DREPLACED
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int *map;

static void *look(void *unused) {
    return *map ? 0 : unused; //~ data-race
}

static void *take(void *unused) {
    // An event, which the reader does not wait for.
    pthread_mutex_lock(&lock);
#if defined(PROTECTED)
    mprotect(map, 8192, PROT_NONE); //~[protected] data-race
#elif defined(EMPTIED)
    madvise(map, 8192, MADV_DONTNEED); //~[emptied] data-race
#elif defined(MOVED)
    mremap(map, 8192, 16384, MREMAP_MAYMOVE); //~[moved] data-race
#elif defined(REPLACED)
    mmap(map, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0); //~[replaced] data-race
#elif defined(AFTER)
    munmap(map, 8192); //~[after] data-race
#else
    munmap(map, 8192); //~[before] data-race
#endif
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t one, two;
#ifdef AFTER
    pthread_create(&one, 0, idle, 0);
    pthread_join(one, 0);
#endif
    map = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return 1;
    pthread_create(&one, 0, look, 0);
    pthread_create(&two, 0, take, 0);
    pthread_join(two, 0);
    pthread_join(one, 0);
    return 0;
}
