// Shared memory that can be written would outlive the rollback.
//@ expect: unsupported
//@ reason: mmap
#include <pthread.h>
#include <sys/mman.h>

static void *work(void *unused) {
    char *map = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) return 0;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
