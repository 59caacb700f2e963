// The destructors of a C program are part of its executions: with one, the linker's part of the exit
// is not left out. It runs after exit handlers. The store of the thread and the load of main conflict:
// 2 executions; the destructor sees what main saw.
//@ revisions: one none
//@[one] cflags: -DDESTRUCTOR
//@ expect: verified
//@ executions: 2
//@[one] outputs: handler\n0\n | handler\n1\n
//@[none] outputs: handler\n
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int flag;
static int seen;

static void handler(void) { puts("handler"); }

#ifdef DESTRUCTOR
__attribute__((destructor)) static void after_all(void) { printf("%d\n", seen); }
#endif

static void *work(void *unused) {
    atomic_store(&flag, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    atexit(handler);
    pthread_create(&thread, 0, work, 0);
    seen = atomic_load(&flag);
    pthread_join(thread, 0);
    return 0;
}
