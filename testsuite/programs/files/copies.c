// Copies from file to file, room made and given back, files without a name, locks that the threads of a
// process share, vectored calls at an offset. One thread at a time: 1 execution.
//@ expect: verified
//@ executions: 1
#define _GNU_SOURCE
#include <dpor.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define NAME "/tmp/dpor_files_copies"

int main(void) {
    struct stat info;
    char text[32], pattern[] = NAME "_XXXXXX";
    loff_t at = 1, to = 2;
    off_t offset = 0;
    unlink(NAME), unlink(NAME "2"), unlink(NAME "3"); // of a run without dpor
    int fd = open(NAME, O_RDWR | O_CREAT, 0600), other = open(NAME "2", O_RDWR | O_CREAT, 0600);
    dpor_assert(write(fd, "abcdef", 6) == 6);
    dpor_assert(copy_file_range(fd, &at, other, &to, 3, 0) == 3 && at == 4 && to == 5);
    dpor_assert(pread(other, text, 32, 0) == 5 && !memcmp(text, "\0\0bcd", 5));
    dpor_assert(sendfile(other, fd, &offset, 100) == 6 && offset == 6);
    dpor_assert(lseek(other, 0, SEEK_CUR) == 6 && pread(other, text, 32, 0) == 6);
    dpor_assert(!memcmp(text, "abcdef", 6) && copy_file_range(fd, 0, other, 0, 9, 0) == 0);
    // Of a file of the disk.
    int disk = open("programs/files/on_disk.txt", O_RDONLY);
    dpor_assert(disk >= 0 && sendfile(fd, disk, 0, 3) == 3 && lseek(disk, 0, SEEK_CUR) == 3);
    dpor_assert(pread(fd, text, 32, 0) == 9 && !memcmp(text, "abcdefold", 9));
    dpor_assert(posix_fallocate(fd, 0, 100) == 0 && fstat(fd, &info) == 0 && info.st_size == 100);
    dpor_assert(fallocate(fd, FALLOC_FL_KEEP_SIZE, 100, 100) == 0);
    dpor_assert(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 1, 2) == 0);
    dpor_assert(fstat(fd, &info) == 0 && info.st_size == 100);
    dpor_assert(pread(fd, text, 5, 0) == 5 && !memcmp(text, "a\0\0de", 5));
    struct iovec parts[2] = {{"12", 2}, {"345", 3}}, into[2] = {{text, 1}, {text + 8, 4}};
    dpor_assert(pwritev(fd, parts, 2, 10) == 5 && preadv(fd, into, 2, 10) == 5);
    dpor_assert(text[0] == '1' && !memcmp(text + 8, "2345", 4) && fdatasync(fd) == 0);
    dpor_assert(truncate(NAME, 4) == 0 && fstat(fd, &info) == 0 && info.st_size == 4);
    dpor_assert(truncate(NAME "3", 4) == -1 && errno == ENOENT);
    // Without a name.
    int nameless = open("/tmp", O_TMPFILE | O_RDWR, 0600), memory = memfd_create("x", MFD_CLOEXEC);
    dpor_assert(nameless >= 0 && write(nameless, "n", 1) == 1 && fstat(nameless, &info) == 0);
    dpor_assert(info.st_nlink == 0 && info.st_size == 1);
    dpor_assert(memory >= 0 && ftruncate(memory, 4096) == 0);
    char *map = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    map[7] = 'm';
    dpor_assert(pread(memory, text, 1, 7) == 1 && text[0] == 'm' && munmap(map, 4096) == 0);
    FILE *file = tmpfile();
    dpor_assert(file && fputs("hello", file) >= 0 && fseek(file, 0, SEEK_SET) == 0);
    dpor_assert(fgets(text, 32, file) && !strcmp(text, "hello") && fclose(file) == 0);
    int made = mkstemp(pattern);
    dpor_assert(made >= 0 && stat(pattern, &info) == 0 && (info.st_mode & 0777) == 0600);
    dpor_assert(mkdtemp(strcpy(text, "/tmp/dpor_XXXXXX")) && stat(text, &info) == 0 && S_ISDIR(info.st_mode));
    // The mask for permissions.
    mode_t mask = umask(077);
    int masked = open(NAME "4", O_RDWR | O_CREAT, 0666);
    dpor_assert(fstat(masked, &info) == 0 && (info.st_mode & 0777) == 0600 && umask(mask) == 077);
    sync();
    // Memory by name, which is a file, too.
    int named = shm_open("/dpor_files_copies", O_RDWR | O_CREAT | O_EXCL, 0600);
    dpor_assert(named >= 0 && ftruncate(named, 10) == 0);
    map = mmap(0, 10, PROT_READ | PROT_WRITE, MAP_SHARED, named, 0);
    map[9] = 's';
    dpor_assert(pread(named, text, 9, 1) == 9 && text[8] == 's');
    dpor_assert(shm_unlink("/dpor_files_copies") == 0 && map[9] == 's' && munmap(map, 10) == 0);
    // Locks of the process: its threads share them.
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    dpor_assert(fcntl(fd, F_SETLKW, &lock) == 0 && fcntl(other, F_SETLK, &lock) == 0);
    dpor_assert(fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK && lockf(fd, F_TLOCK, 0) == 0);
    lock.l_type = F_WRLCK;
    dpor_assert(fcntl(disk, F_SETLK, &lock) == -1 && errno == EBADF);
    return 0;
}
