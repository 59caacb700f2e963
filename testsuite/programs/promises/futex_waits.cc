// A wait that would reach the kernel would stop every thread of the program, as all are fibers of
// one. It is modelled, so that a wait for ever is a deadlock, or it ends the check at once, by name:
// never a hang (the harness allows 20 seconds). Waits whose value has changed already return, and
// nothing is lost.
//@ revisions: word bitset priority several atomic changed
//@[word] cflags: -DWAIT=syscall(SYS_futex,&word,FUTEX_WAIT,0,0,0,0)
//@[bitset] cflags: -DWAIT=syscall(SYS_futex,&word,FUTEX_WAIT_BITSET_PRIVATE,0,0,0,1)
//@[priority] cflags: -DWAIT=syscall(SYS_futex,&word,FUTEX_LOCK_PI,0,0,0,0)
//@[several] cflags: -DWAIT=syscall(449,&word,1,0,0,0)
//@[atomic] cflags: -std=c++20 -DWAIT=cell.wait(0)
//@[changed] cflags: -DWAIT=syscall(SYS_futex,&word,FUTEX_WAIT,1,0,0,0)
//@[word] expect: bug
//@[word] kind: deadlock
//@[bitset] expect: bug
//@[bitset] kind: deadlock
//@[priority] expect: unsupported
//@[several] expect: unsupported
//@[atomic] expect: bug
//@[atomic] kind: deadlock
//@[changed] expect: verified
//@[priority] reason: futex (operation 6)
//@[several] reason: futex_waitv
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
