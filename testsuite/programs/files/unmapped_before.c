// Memory from before the second thread that is unmapped is not there any more, in this execution; in the
// next it is again. Two additions whose results are used: 2 orders; whoever comes second finds 1.
// "last": the second thread unmaps, and main accesses it after.
//@ revisions: used last
//@[used] expect: verified
//@[used] executions: 2
//@[used] outcomes: first=0 *1 | first=1 *1
//@[last] expect: bug
//@[last] kind: crash
//@[last] message: segmentation fault
//@[last] cflags: -DLAST
#include <dpor.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

static atomic_int *map;
static int seen[2];

static void *work(void *mine) {
    *(int *)mine = atomic_fetch_add(map, 1);
    return 0;
}

int main(void) {
    pthread_t one, two;
    int file = open("/proc/self/exe", O_RDONLY);
    char *code = mmap(0, 8192, PROT_READ, MAP_SHARED, file, 0);
    map = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&one, 0, work, &seen[0]);
    pthread_create(&two, 0, work, &seen[1]);
    pthread_join(one, 0);
    pthread_join(two, 0);
    dpor_assert(code[1] == 'E');
    dpor_observe("first", seen[0]);
    dpor_assert(munmap(map, 4096) == 0 && munmap(code, 8192) == 0);
    map[1024] = 5;
#ifdef LAST
    return map[0]; //~[last] crash
#endif
    return 0;
}
