// Assembly that says it reaches memory, not where, while two threads live.
//@ expect: unsupported
//@ reason: inline assembly
#include <pthread.h>

int cell;

static void *work(void *unused) {
    __asm__ volatile("movl $1, cell(%%rip)" ::: "memory");
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
