// The system call exit ends the thread that makes it, without handlers and destructors; exit_group the process.
//
// thread: the join of the thread comes back. The call conflicts with nothing that main does meanwhile: 1 execution.
// main: the process goes on until the thread has ended. group: the process ends, so that the join never comes back.
//@ revisions: thread main group
//@[thread] cflags: -DTHREAD
//@[thread] outputs: joined\n
//@[main] cflags: -DMAIN
//@[main] outputs: worked\n
//@[group] cflags: -DGROUP
//@[group] outputs:
//@ opt: O0 O2
//@ expect: verified
//@[thread] executions: 1
//@[group] executions: 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void destroy(void *unused) { abort(); }

static void *work(void *unused) {
    pthread_key_t key;
    pthread_key_create(&key, destroy);
    pthread_setspecific(key, &key);
#if defined(THREAD)
    syscall(SYS_exit, 0);
    abort();
#elif defined(GROUP)
    syscall(SYS_exit_group, 0);
    abort();
#else
    pthread_setspecific(key, 0);
    write(1, "worked\n", 7);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
#ifdef MAIN
    syscall(SYS_exit, 0);
#endif
    pthread_join(thread, 0);
#ifdef THREAD
    write(1, "joined\n", 7);
    return 0;
#endif
    abort();
}
