// What is written to a file through a shared mapping would outlive the rollback. Shared memory
// without a file is private memory, as there is no other process.
//@ revisions: file anonymous
//@[file] expect: unsupported
//@[file] reason: shared mapping
//@[file] cflags: -DFILE_DESCRIPTOR=open("/proc/self/exe",O_RDONLY) -DFLAGS=MAP_SHARED
//@[anonymous] expect: verified
//@[anonymous] cflags: -DFILE_DESCRIPTOR=-1 -DFLAGS=MAP_SHARED|MAP_ANONYMOUS
#include <dpor.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

static void *work(void *unused) {
    char *map = mmap(0, 4096, PROT_READ | PROT_WRITE, FLAGS, FILE_DESCRIPTOR, 0);
    dpor_assert(map != MAP_FAILED && map[0] == 0);
    map[0] = 1;
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
