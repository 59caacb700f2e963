// A thread maps a file of the disk for reading and looks at its first byte; another opens it for writing
// and changes that byte by write. "late": the mapping, of a file that nobody is known to change yet, comes
// first in the first execution; both orders are found all the same.
// "private": such a mapping would see the change, in Linux, and is a copy here: refused.
//@ revisions: early late private
//@[early] expect: verified
//@[early] outcomes: seen=111 | seen=110
//@[early] cflags: -DFIRST=change -DSECOND=look -DHOW=MAP_SHARED
//@[late] expect: verified
//@[late] outcomes: seen=111 | seen=110
//@[late] cflags: -DFIRST=look -DSECOND=change -DHOW=MAP_SHARED
//@[private] expect: unsupported
//@[private] reason: changing a file of the disk that is mapped
//@[private] cflags: -DFIRST=look -DSECOND=change -DHOW=MAP_PRIVATE
#include <dpor.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *name = "programs/files/on_disk.txt";
static int seen;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *look(void *unused) {
    int fd = open(name, O_RDONLY);
    char *map = mmap(0, 3, PROT_READ, HOW, fd, 0);
    dpor_assert(fd >= 0 && map != MAP_FAILED);
    close(fd);
    pthread_mutex_lock(&mutex);
    seen = map[0];
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *change(void *unused) {
    int fd = open(name, O_RDWR);
    pthread_mutex_lock(&mutex);
    dpor_assert(write(fd, "n", 1) == 1);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, FIRST, 0);
    pthread_create(&two, 0, SECOND, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    dpor_observe("seen", seen);
    return 0;
}
