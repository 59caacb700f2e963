// Inline assembly that reaches memory is unsupported while there are other threads; a pause and a fence are not.
//@ revisions: memory registers
//@[memory] expect: unsupported
//@[memory] reason: inline assembly
//@[memory] cflags: -DMEMORY
//@[registers] expect: verified
//@[registers] executions: 1
//@ opt: O0 O2
#include <pthread.h>
static int shared;
static void *work(void *unused) {
#ifdef MEMORY
    __asm__ volatile("lock; incl %0" : "+m"(shared));
#else
    __asm__ volatile("pause; mfence" ::: "memory");
#endif
    return unused;
}
int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    pthread_join(other, 0);
    return shared > 1;
}
