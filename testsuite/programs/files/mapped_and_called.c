// A file is mapped, but one thread writes it with write and another reads it with pread: calls on a file
// are atomic and never race with each other. Two orders: pread finds the file empty, or with what was
// written. What was written is in the mapping after both ended.
//@ expect: verified
//@ executions: 2
//@ outcomes: read=0 | read=2
#include <dpor.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static int writer, reader, got;

static void *write_it(void *unused) {
    dpor_assert(write(writer, "ab", 2) == 2);
    return unused;
}

static void *read_it(void *unused) {
    char text[8];
    got = pread(reader, text, 8, 0);
    return unused;
}

int main(void) {
    pthread_t one, two;
    writer = open("/tmp/dpor_files_mapped_and_called", O_RDWR | O_CREAT | O_TRUNC, 0600);
    reader = open("/tmp/dpor_files_mapped_and_called", O_RDONLY);
    char *map = mmap(0, 4096, PROT_READ, MAP_SHARED, reader, 0);
    pthread_create(&one, 0, write_it, 0);
    pthread_create(&two, 0, read_it, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    dpor_assert(map[0] == 'a' && map[1] == 'b' && map[2] == 0);
    dpor_observe("read", got);
    return 0;
}
