// A race that the programmer knows of, between ignore_begin and ignore_end.
//@ revisions: ignored seen
//@[ignored] cflags: -DBEGIN=dpor_ignore_begin() -DEND=dpor_ignore_end()
//@[ignored] expect: verified
//@[seen] cflags: -DBEGIN -DEND
//@[seen] expect: bug
//@[seen] kind: data-race
#include <dpor.h>
#include <pthread.h>

int statistics;

static void *work(void *unused) {
    BEGIN;
    statistics++;
    END;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
