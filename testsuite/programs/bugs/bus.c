// The load sees the store in one of two traces; then the program reads a mapped page that is beyond
// the end of its file.
//@ revisions: first all
//@ expect: bug
//@ kind: crash
//@[all] args: -k
//@[all] executions: 1
//@[all] failed: 1
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>

static atomic_int armed;
int seen;

static void *arm(void *unused) {
    atomic_store(&armed, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, arm, 0);
    int is_armed = atomic_load(&armed);
    // Joined first: what follows is ordered with everything, so there are two traces.
    pthread_join(thread, 0);
    if (is_armed) {
        int file = open("/proc/self/exe", O_RDONLY);
        struct stat status;
        fstat(file, &status);
        size_t pages = (size_t)status.st_size / 4096 + 4;
        volatile char *map = mmap(0, pages * 4096, PROT_READ, MAP_PRIVATE, file, 0);
        seen = map[(pages - 1) * 4096]; //~ crash
    }
    return 0;
}
