// The first thread is cancelled: it leaves main as by pthread_exit, its handler runs, the process goes on
// until the other thread has ended, and exits with 0. The request comes before its cancellation point or
// after it: 2.
//@ expect: verified
//@ executions: 2
//@ outputs: cancelled | not
#include <pthread.h>
#include <unistd.h>

static pthread_t first;

static void *work(void *unused) {
    pthread_detach(pthread_self());
    pthread_cancel(first);
    return unused;
}

static void tell(void *unused) {
    (void)unused;
    if (write(1, "cancelled", 9) != 9) _exit(1);
}

int main(void) {
    pthread_t thread;
    first = pthread_self();
    pthread_create(&thread, 0, work, 0);
    pthread_cleanup_push(tell, 0);
    pthread_testcancel();
    pthread_cleanup_pop(0);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);
    if (write(1, "not", 3) != 3) return 1;
    pthread_exit(0);
}
