// An object that was initialized by a call is initialized again. POSIX: undefined. The execution goes on.
// Each object before the second thread, and by it; the thread has nothing to be ordered with: 1 execution.
// revision right: destroyed in between; on a stack, where the second one is another object; in memory that
// was freed or unmapped in between. revision alone: without a second thread.
//@ revisions: before after alone right
//@ expect: bug
//@ args: -k
//@ executions: 1
//@[before] kind: initialized-twice
//@[before] cflags: -DBEFORE -DTHREAD
//@[before] message: a mutex is initialized again
//@[before] message: a barrier is initialized again
//@[after] kind: initialized-twice
//@[after] cflags: -DAFTER -DTHREAD
//@[after] message: a semaphore is initialized again
//@[after] message: a spin lock is initialized again
//@[alone] kind: initialized-twice
//@[alone] cflags: -DBEFORE
//@[right] cflags: -DTHREAD
//@[right] expect: verified
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/mman.h>

static pthread_mutex_t mutex;
static pthread_cond_t condvar;
static pthread_rwlock_t rwlock;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t semaphore;

static void begin(void) {
    pthread_mutex_init(&mutex, 0); //~[before] initialized-twice
    pthread_cond_init(&condvar, 0); //~[after] initialized-twice
    pthread_rwlock_init(&rwlock, 0); //~[alone] initialized-twice
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE); //~[before] initialized-twice
    pthread_barrier_init(&barrier, 0, 2); //~[after] initialized-twice
    sem_init(&semaphore, 0, 1); //~[alone] initialized-twice
}

static void end(void) {
    pthread_mutex_destroy(&mutex);
    pthread_cond_destroy(&condvar);
    pthread_rwlock_destroy(&rwlock);
    pthread_spin_destroy(&spin);
    pthread_barrier_destroy(&barrier);
    sem_destroy(&semaphore);
}

static void in_other_memory(void) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_t here, *there = malloc(sizeof *there);
        pthread_mutex_init(&here, 0);
        pthread_mutex_init(there, 0);
        pthread_mutex_destroy(there);
        free(there);
    }
}

// Before the second thread nobody sees that a mapping ends.
static void in_a_mapping(void) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS, access = PROT_READ | PROT_WRITE;
    void *first = mmap(0, 4096, access, flags, -1, 0);
    pthread_mutex_init(first, 0);
    munmap(first, 4096);
    if (mmap(first, 4096, access, flags | MAP_FIXED, -1, 0) != first) abort();
    pthread_mutex_init(first, 0);
    pthread_mutex_destroy(first);
    munmap(first, 4096);
}

static void *work(void *unused) {
    begin();
#ifdef AFTER
    begin();
#endif
    end();
    in_other_memory();
    return unused;
}

int main(void) {
    in_a_mapping();
    in_other_memory();
    begin();
#ifdef BEFORE
    begin();
#endif
    end();
#ifdef THREAD
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
#endif
    return 0;
}
