// A thread stores to a mapped file while another reads it with pread, writes it with pwrite or cuts it: a
// race on the bytes that both access.
//@ expect: bug
//@ kind: data-race
//@ revisions: read write cut
//@[read] cflags: -DCALL=pread(fd,&value,4,0)
//@[write] cflags: -DCALL=pwrite(fd,&value,4,0)
//@[cut] cflags: -DCALL=ftruncate(fd,1)
//@ args: -k
#include <dpor.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static int *map, fd, value = 3;

static void *store(void *unused) {
    map[0] = 7; //~ race
    return unused;
}

int main(void) {
    pthread_t thread;
    fd = open("/tmp/dpor_files_mapped_and_read", O_RDWR | O_CREAT | O_TRUNC, 0600);
    ftruncate(fd, 4096);
    map = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    pthread_create(&thread, 0, store, 0);
    dpor_assert(CALL >= 0); //~ race
    pthread_join(thread, 0);
    return 0;
}
