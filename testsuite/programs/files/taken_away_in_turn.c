// Memory that is unmapped under a lock, under which the reader looks whether it is still there: no race.
// The lock is taken in 2 orders; in one of them the reader reads.
//@ expect: verified
//@ executions: 2
//@ outcomes: read=0 *1 | read=1 *1
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int *map;
static int is_gone, has_read;

static void *look(void *unused) {
    pthread_mutex_lock(&lock);
    if (!is_gone) {
        dpor_assert(*map == 0);
        has_read = 1;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *take(void *unused) {
    pthread_mutex_lock(&lock);
    is_gone = 1;
    dpor_assert(munmap(map, 8192) == 0);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t one, two;
    map = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    dpor_assert(map != MAP_FAILED);
    pthread_create(&one, 0, look, 0);
    pthread_create(&two, 0, take, 0);
    pthread_join(two, 0);
    pthread_join(one, 0);
    dpor_observe("read", has_read);
    return 0;
}
