// A file that is mapped shared is one body of bytes: what is stored is read, what is written is loaded, by
// every mapping. Its end may move, a mapping may grow, and the file is whole when nobody maps it any more.
// One thread at a time: 1 execution.
//@ expect: verified
//@ executions: 1
#define _GNU_SOURCE
#include <dpor.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "/tmp/dpor_files_mapped"
#define BOTH (PROT_READ | PROT_WRITE)

int main(void) {
    char text[32], zeros[32] = "";
    struct stat info;
    int fd = open(NAME, O_RDWR | O_CREAT | O_EXCL, 0600);
    int reader = open(NAME, O_RDONLY), writer = open(NAME, O_WRONLY);
    dpor_assert(write(fd, "hello", 5) == 5);
    // By the descriptor's access mode, as POSIX says.
    dpor_assert(mmap(0, 5, BOTH, MAP_SHARED, reader, 0) == MAP_FAILED && errno == EACCES);
    dpor_assert(mmap(0, 5, PROT_READ, MAP_SHARED, writer, 0) == MAP_FAILED && errno == EACCES);
    dpor_assert(mmap(0, 5, PROT_READ, MAP_SHARED, fd, 1) == MAP_FAILED && errno == EINVAL);
    char *map = mmap(0, 3 * 4096, BOTH, MAP_SHARED, fd, 0);
    dpor_assert(map != MAP_FAILED && !memcmp(map, "hello", 6));
    map[0] = 'J';
    dpor_assert(pread(reader, text, 32, 0) == 5 && !memcmp(text, "Jello", 5));
    dpor_assert(pwrite(writer, "y", 1, 4) == 1 && map[4] == 'y');
    // What is stored beyond the end is no part of the file, also if that moves.
    map[5] = '!';
    dpor_assert(pread(fd, text, 32, 0) == 5);
    dpor_assert(ftruncate(fd, 8) == 0 && map[5] == 0);
    dpor_assert(pread(fd, text, 32, 0) == 8 && !memcmp(text, "Jelly\0\0", 8));
    // The second page is accessible once the file reaches into it.
    dpor_assert(pwrite(fd, "far", 3, 5000) == 3 && !memcmp(map + 5000, "far", 4));
    map[4096] = 'b';
    dpor_assert(pread(fd, text, 1, 4096) == 1 && text[0] == 'b');
    // Another mapping, of the second page alone, for reading.
    char *other = mmap(0, 4096, PROT_READ, MAP_SHARED, reader, 4096);
    dpor_assert(other != MAP_FAILED && other[0] == 'b' && !memcmp(other + 904, "far", 3));
    map[4097] = 'c';
    dpor_assert(other[1] == 'c');
    // One that is for reading goes, and the other may still store.
    char *third = mmap(0, 4096, PROT_READ, MAP_SHARED, reader, 4096);
    dpor_assert(third[1] == 'c' && munmap(third, 4096) == 0);
    map[4097] = 'C';
    dpor_assert(other[1] == 'C');
    map[4097] = 'c';
    dpor_assert(munmap(map, 3 * 4096) == 0 && other[1] == 'c');
    dpor_assert(pwrite(fd, "d", 1, 4098) == 1 && other[2] == 'd');
    dpor_assert(munmap(other, 4096) == 0);
    dpor_assert(pread(fd, text, 4, 4096) == 4 && !memcmp(text, "bcd", 4));
    dpor_assert(pread(fd, text, 5, 0) == 5 && !memcmp(text, "Jelly", 5));
    // It grows with its file, after the descriptors are closed.
    dpor_assert(ftruncate(fd, 4096) == 0);
    map = mmap(0, 4096, BOTH, MAP_SHARED, fd, 0);
    dpor_assert(ftruncate(fd, 8192) == 0);
    map = mremap(map, 4096, 8192, MREMAP_MAYMOVE);
    dpor_assert(map != MAP_FAILED && map[0] == 'J' && map[4096] == 0);
    dpor_assert(close(fd) == 0 && close(reader) == 0 && close(writer) == 0);
    map[8191] = 'z';
    dpor_assert(msync(map, 8192, MS_SYNC) == 0);
    dpor_assert(msync(map + 1, 1, MS_SYNC) == -1 && errno == EINVAL);
    fd = open(NAME, O_RDWR);
    dpor_assert(pread(fd, text, 32, 8190) == 2 && text[1] == 'z');
    dpor_assert(fstat(fd, &info) == 0 && info.st_size == 8192);
    dpor_assert(!memcmp(zeros, map + 6000, 32));
    // What is mapped stays when the name is gone, and a part of it when another is unmapped.
    dpor_assert(unlink(NAME) == 0 && close(fd) == 0 && munmap(map, 4096) == 0);
    dpor_assert(map[8191] == 'z');
    dpor_assert(mprotect(map + 4096, 4096, PROT_READ) == 0 && map[8191] == 'z');
    dpor_assert(mprotect(map, 4096, PROT_READ) == -1 && errno == ENOMEM);
    dpor_assert(munmap(map + 4096, 4096) == 0);
    return 0;
}
