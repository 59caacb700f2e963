// A wait that would reach the kernel would stop every thread of the program, as all are fibers of
// one. It ends the check at once, by name: never a hang (the harness allows 20 seconds). Waits whose
// value has changed already return, and nothing is lost.
//@ revisions: word bitset priority several atomic changed
//@[word] cflags: -DWAIT=syscall(SYS_futex,&word,FUTEX_WAIT,0,0,0,0)
//@[bitset] cflags: -DWAIT=syscall(SYS_futex,&word,FUTEX_WAIT_BITSET_PRIVATE,0,0,0,1)
//@[priority] cflags: -DWAIT=syscall(SYS_futex,&word,FUTEX_LOCK_PI,0,0,0,0)
//@[several] cflags: -DWAIT=syscall(449,&word,1,0,0,0)
//@[atomic] cflags: -std=c++20 -DWAIT=cell.wait(0)
//@[changed] cflags: -DWAIT=syscall(SYS_futex,&word,FUTEX_WAIT,1,0,0,0)
//@[word] expect: unsupported
//@[bitset] expect: unsupported
//@[priority] expect: unsupported
//@[several] expect: unsupported
//@[atomic] expect: unsupported
//@[changed] expect: verified
//@[word] reason: a wait on a futex
//@[bitset] reason: a wait on a futex
//@[priority] reason: futex (operation 6)
//@[several] reason: futex_waitv
//@[atomic] reason: a wait on a futex
//@ seconds: 20
#include <atomic>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

int word;
std::atomic<int> cell;

static void *work(void *unused) {
    WAIT;
    return unused;
}

int main() {
    pthread_t thread;
    pthread_create(&thread, nullptr, work, nullptr);
    pthread_join(thread, nullptr);
    return 0;
}
