// A file that was changed is not mapped.
//@ expect: unsupported
//@ revisions: shared private
//@[shared] cflags: -DHOW=MAP_SHARED
//@[private] cflags: -DHOW=MAP_PRIVATE
//@ reason: mapping of a file
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);
    int fd = open("/tmp/dpor_files_mapped", O_RDWR | O_CREAT, 0600);
    write(fd, "x", 1);
    return mmap(0, 1, PROT_READ, HOW, fd, 0) == MAP_FAILED;
}
