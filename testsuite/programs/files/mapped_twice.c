// Each thread opens and maps the same file for itself, and adds to the same word: what one stores the
// other loads. Additions in two orders; whoever is second finds 1, and the file holds 2.
// "before": the file is on the disk, and is as it was in every execution. "reader": one maps it for
// reading only, through a descriptor that cannot write, maybe before anybody opened it for writing.
//@ expect: verified
//@ revisions: made disk reader
//@[made] cflags: -DNAME="/tmp/dpor_files_mapped_twice"
//@[made] outcomes: first=0 second=1 file=2 | first=1 second=0 file=2
//@[disk] cflags: -DNAME="programs/files/mapped_twice.txt"
//@[disk] outcomes: first=0 second=1 file=2 | first=1 second=0 file=2
//@[reader] cflags: -DNAME="programs/files/mapped_twice.txt" -DREADER
//@[reader] outcomes: first=0 second=0 file=1 | first=0 second=1 file=1
//@ dfs: same-outcomes
#include <dpor.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

static int seen[2];

static void *writer(void *mine) {
    int fd = open(NAME, O_RDWR | O_CREAT, 0600);
    dpor_assert(fd >= 0 && ftruncate(fd, 4) == 0);
    atomic_int *map = mmap(0, 4, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    dpor_assert(map != MAP_FAILED);
    *(int *)mine = atomic_fetch_add(map, 1);
    return 0;
}

static void *reader(void *mine) {
    int fd = open(NAME, O_RDONLY);
    atomic_int *map = mmap(0, 4, PROT_READ, MAP_SHARED, fd, 0);
    dpor_assert(fd >= 0 && map != MAP_FAILED);
    *(int *)mine = atomic_load(map);
    return 0;
}

int main(void) {
    pthread_t one, two;
    int fd, value;
    pthread_create(&one, 0, writer, &seen[0]);
#ifdef READER
    pthread_create(&two, 0, reader, &seen[1]);
#else
    pthread_create(&two, 0, writer, &seen[1]);
#endif
    pthread_join(one, 0);
    pthread_join(two, 0);
    fd = open(NAME, O_RDONLY);
    dpor_assert(read(fd, &value, 4) == 4);
    dpor_observe("first", seen[0]);
    dpor_observe("second", seen[1]);
    dpor_observe("file", value);
    return 0;
}
