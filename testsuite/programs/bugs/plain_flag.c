// A reader spins on a plain int, then trusts the data.
// -O0: all accesses are there; the reader is set aside so that the writer runs: a race.
// -O1: the flag is read once; if it was 0, the rest is a loop with no effect and no way out.
// -O2: the loop is deleted altogether, so the assertion can fail.
//@ revisions: as_written read_once deleted
//@[as_written] opt: O0
//@[as_written] expect: bug
//@[as_written] kind: data-race
//@[read_once] opt: O1
//@[read_once] args: -k --step-limit=0.3
//@[read_once] expect: bug
//@[read_once] kind: data-race endless-loop
//@[deleted] opt: O2
//@[deleted] args: -k
//@[deleted] expect: bug
//@[deleted] kind: data-race assertion
#include <assert.h>
#include <pthread.h>

int flag, data;

static void *reader(void *unused) {
    while (!flag) {
    }
    assert(data == 42);
    return unused;
}

static void *writer(void *unused) {
    data = 42;
    flag = 1;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, writer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
