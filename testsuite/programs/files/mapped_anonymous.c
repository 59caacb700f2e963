// Memory that is shared without a file is private memory, as there is no other process: each execution
// finds it as it was, whether it was mapped before the second thread or after it.
// Two additions whose results are used: 2 orders. Each is 1 after the other is 2, in both.
//@ expect: verified
//@ revisions: before after
//@[after] cflags: -DAFTER
//@ executions: 2
//@ outcomes: sum=3 left=2 *2
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

static atomic_int *map;
static int seen[2];

static void *work(void *mine) {
    *(int *)mine = atomic_fetch_add(map, 1) + 1;
    return 0;
}

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t one, two;
#ifdef AFTER
    pthread_create(&one, 0, idle, 0);
    pthread_join(one, 0);
#endif
    map = mmap(0, 10000, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    dpor_assert(map != MAP_FAILED && map[0] == 0 && map[2000] == 0);
    map[2000] = 77;
    pthread_create(&one, 0, work, &seen[0]);
    pthread_create(&two, 0, work, &seen[1]);
    pthread_join(one, 0);
    pthread_join(two, 0);
    dpor_assert(map[2000] == 77);
    map[2000] = 78;
    dpor_observe("sum", seen[0] + seen[1]);
    dpor_observe("left", *map);
    dpor_assert(munmap(map, 10000) == 0);
    return 0;
}
