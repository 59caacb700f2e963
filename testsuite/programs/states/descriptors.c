// Descriptors that are opened and closed for ever, by two threads: an opening is one of the same number as the last, and
// known to be another. *wrong*: both close the number that one of them opened.
//@ revisions: right wrong
//@ args: --states --max-states 100000
//@ checkpoint: snapshot
//@ parts: no
//@ opt: O0 O2
//@[right] expect: verified
//@[wrong] expect: bug
//@[wrong] kind: assertion
//@[wrong] cflags: -DWRONG
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *open_and_close(void *unused) {
    for (;;) {
        int file = open("/dev/null", O_WRONLY), ends[2];
        char c = 0;
        assert(write(file, "x", 1) == 1);
#ifdef WRONG
        close(3);
#else
        close(file);
#endif
        pthread_mutex_lock(&mutex);
        pipe(ends);
        write(ends[1], "x", 1);
        read(ends[0], &c, 1);
        assert(c == 'x');
        close(ends[0]);
        close(ends[1]);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, open_and_close, 0);
    open_and_close(0);
}
