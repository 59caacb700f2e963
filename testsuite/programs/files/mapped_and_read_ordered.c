// A thread stores to a mapped file. Another reads other bytes of it meanwhile, and the same ones after it
// ended; what is stored then is written by nobody.
// The first pread and the store share no object: 1 execution.
//@ expect: verified
//@ executions: 1
#include <dpor.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static int *map, fd;

static void *store(void *unused) {
    map[0] = 7;
    return unused;
}

int main(void) {
    pthread_t thread;
    int value = 3;
    fd = open("/tmp/dpor_files_mapped_and_read_ordered", O_RDWR | O_CREAT | O_TRUNC, 0600);
    ftruncate(fd, 4096);
    map = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    pthread_create(&thread, 0, store, 0);
    dpor_assert(pread(fd, &value, 4, 64) == 4 && value == 0);
    pthread_join(thread, 0);
    dpor_assert(pread(fd, &value, 4, 0) == 4 && value == 7);
    value = 8;
    dpor_assert(pwrite(fd, &value, 4, 0) == 4 && map[0] == 8);
    return 0;
}
