// Accesses that a mapping of a file does not allow.
//@ expect: bug
//@ kind: crash
//@ revisions: end unmapped reader protected cut
//@[end] message: bus error
//@[end] cflags: -DEND
//@[unmapped] message: segmentation fault
//@[unmapped] cflags: -DUNMAPPED
//@[reader] message: segmentation fault
//@[reader] cflags: -DREADER
//@[protected] message: segmentation fault
//@[protected] cflags: -DPROTECTED
//@[cut] message: bus error
//@[cut] cflags: -DCUT
#include <dpor.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile char *map;
static int fd;

static void *work(void *unused) {
#if defined(END)
    return map[4096] ? unused : 0; //~[end] crash
#elif defined(UNMAPPED)
    munmap((void *)map, 8192);
    return map[0] ? unused : 0; //~[unmapped] crash
#elif defined(READER)
    map = mmap(0, 4096, PROT_READ, MAP_SHARED, fd, 8192);
    map[0] = 1; //~[reader] crash
#elif defined(PROTECTED)
    mprotect((void *)map, 4096, PROT_READ);
    map[0] = 1; //~[protected] crash
#else
    map[0] = 1;
    ftruncate(fd, 0);
    map[0] = 1; //~[cut] crash
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    fd = open("/tmp/dpor_files_mapped_faults", O_RDWR | O_CREAT, 0600);
#ifdef READER
    ftruncate(fd, 3 * 4096);
#endif
    write(fd, "abc", 3);
    map = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
