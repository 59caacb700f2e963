// A relaxed flag orders nothing, and the annotations beside it do.
//
// The events: the release R and the store S of the thread, the load L of main, and, if L finds 1, the acquire A.
// S and L conflict; R comes before S, and A after L, so that where there is an A, R came first. L before S or after
// it: two executions. Without the annotations main reads `data` after L alone, unordered with the write.
//@ revisions: header tsan annotate none
//@ opt: O0 O1 O2
//@[header] cflags: -DRELEASE=dpor_release(&flag) -DACQUIRE=dpor_acquire(&flag)
//@[header] expect: verified
//@[header] executions: 2
//@[header] outcomes: seen=0 | seen=7
//@[tsan] cflags: -DRELEASE=__tsan_release(&flag) -DACQUIRE=__tsan_acquire(&flag)
//@[tsan] expect: verified
//@[tsan] executions: 2
//@[annotate] cflags: -DRELEASE=AnnotateHappensBefore(__FILE__,__LINE__,&flag) -DACQUIRE=AnnotateHappensAfter(__FILE__,__LINE__,&flag)
//@[annotate] expect: verified
//@[annotate] executions: 2
//@[none] cflags: -DRELEASE -DACQUIRE
//@[none] expect: bug
//@[none] kind: data-race
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>

void __tsan_acquire(void *);
void __tsan_release(void *);
void AnnotateHappensBefore(const char *, int, const volatile void *);
void AnnotateHappensAfter(const char *, int, const volatile void *);

static atomic_int flag;
static int data;

static void *write_it(void *unused) {
    data = 7;
    RELEASE;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t thread;
    int seen = 0;
    pthread_create(&thread, 0, write_it, 0);
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        ACQUIRE;
        seen = data;
    }
    pthread_join(thread, 0);
    dpor_observe("seen", seen);
    return 0;
}
