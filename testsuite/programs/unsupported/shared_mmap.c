// A shared mapping of a file would outlive the rollback.
//@ expect: unsupported
//@ reason: mmap
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

static void *work(void *unused) {
    int file = open("/proc/self/exe", O_RDONLY);
    char *map = mmap(0, 4096, PROT_READ, MAP_SHARED, file, 0);
    if (map == MAP_FAILED) return 0;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
