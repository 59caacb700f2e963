// A private mapping of a file sees, in Linux, what is changed later in pages that nobody stored to. Ours
// is a copy, so changing the file is refused. Other things that mappings of a file cannot have are, too.
//@ expect: unsupported
//@ revisions: write map before fixed protected explored
//@[write] reason: changing a file that is mapped with MAP_PRIVATE
//@[write] cflags: -DWRITE
//@[map] reason: a shared mapping of a file that is mapped with MAP_PRIVATE
//@[map] cflags: -DMAP
//@[before] reason: a MAP_PRIVATE mapping of a file that is mapped for writing, too
//@[before] cflags: -DBEFORE
//@[fixed] reason: a shared mapping of a file at a fixed address, where it is not mapped yet
//@[fixed] cflags: -DFIXED
//@[protected] reason: changing the protection of a part of a file that is mapped several times
//@[protected] cflags: -DPROTECTED
//@[explored] reason: reading or writing a file that is mapped, with --plain=explore
//@[explored] cflags: -DEXPLORED
//@[explored] args: --plain=explore
#include <dpor.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BOTH (PROT_READ | PROT_WRITE)

int main(void) {
    int fd = open("/tmp/dpor_unsupported_mapped_copy", O_RDWR | O_CREAT, 0600);
    write(fd, "abc", 3);
#if defined(BEFORE) || defined(FIXED) || defined(PROTECTED) || defined(EXPLORED)
    char *map = mmap(0, 4096, BOTH, MAP_SHARED, fd, 0);
#endif
#ifdef FIXED
    // One file at two addresses, side by side.
    char *both = mmap(0, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mmap(both, 4096, BOTH, MAP_SHARED | MAP_FIXED, fd, 0);
    mmap(both + 4096, 4096, BOTH, MAP_SHARED | MAP_FIXED, fd, 0);
    (void)map;
#endif
#ifdef PROTECTED
    mmap(0, 4096, BOTH, MAP_SHARED, fd, 0);
    mprotect(map, 4096, PROT_READ);
#endif
    char text[4];
#ifdef EXPLORED
    pread(fd, text, 3, 0);
#endif
    char *copy = mmap(0, 4096, BOTH, MAP_PRIVATE, fd, 0);
    copy[0] = 'x';
    dpor_assert(pread(fd, text, 4, 0) == 3 && !memcmp(text, "abc", 3));
#ifdef WRITE
    write(fd, "d", 1);
#else
    mmap(0, 4096, BOTH, MAP_SHARED, fd, 0);
#endif
    return 0;
}
