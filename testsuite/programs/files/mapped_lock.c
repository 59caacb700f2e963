// A counter in a mapped file, and a mutex for several processes beside it. Two critical sections: 2 orders,
// and the file holds 2 in both. Without the mutex the additions race.
//@ revisions: locked free
//@[locked] expect: verified
//@[locked] executions: 2
//@[locked] outcomes: count=2 first=1 *1 | count=2 first=2 *1
//@[free] expect: bug
//@[free] kind: data-race
//@[free] cflags: -DFREE
//@[free] args: -k
#include <dpor.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static struct shared {
    pthread_mutex_t mutex;
    int count;
} *shared;
static int seen[2];

static void *work(void *mine) {
#ifndef FREE
    pthread_mutex_lock(&shared->mutex);
#endif
    *(int *)mine = ++shared->count; //~[free] race
#ifndef FREE
    pthread_mutex_unlock(&shared->mutex);
#endif
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_mutexattr_t attributes;
    int fd = open("/tmp/dpor_files_mapped_lock", O_RDWR | O_CREAT | O_TRUNC, 0600), count = 0;
    ftruncate(fd, sizeof *shared);
    shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->mutex, &attributes);
    pthread_create(&one, 0, work, &seen[0]);
    pthread_create(&two, 0, work, &seen[1]);
    pthread_join(one, 0);
    pthread_join(two, 0);
    pread(fd, &count, sizeof count, (char *)&shared->count - (char *)shared);
    dpor_observe("count", count);
    dpor_observe("first", seen[0]);
    pthread_mutex_destroy(&shared->mutex);
    munmap(shared, sizeof *shared);
    return 0;
}
