// What a system call conflicts with. Nobody modelled the function that makes it: with everything,
// also with another thread's atomic addition: both orders, 2 executions. A function of the table:
// with what uses the same descriptor only, so 1 execution. A call that asks what nobody can change is
// no event at all, even in assembly: 1 execution.
//@ revisions: assembly libc table asks
//@[assembly] cflags: -DCALL=raw(0,0,1)
//@[libc] cflags: -DCALL=posix_fadvise(0,0,0,POSIX_FADV_NORMAL)
//@[table] cflags: -DCALL=read(0,&byte,1)
//@[asks] cflags: -DCALL=raw(39,0,0)
//@ expect: verified
//@[assembly] executions: 2
//@[libc] executions: 2
//@[table] executions: 1
//@[asks] executions: 1
//@ stdin: x
//@ dfs: same-outcomes
#define _GNU_SOURCE
#include <dpor.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

atomic_int counter;
char byte;

// System call `number` on descriptor `first`, with one byte to read.
__attribute__((noinline, disable_sanitizer_instrumentation, unused))
static long raw(long number, long first, long length) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(first), "S"(&byte), "d"(length) : "rcx", "r11", "memory");
    return result;
}

static void *call(void *unused) {
    (void)CALL;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, call, 0);
    atomic_fetch_add(&counter, 1);
    pthread_join(thread, 0);
    return 0;
}
