// Two threads write to a file of their own each, that is open already: nothing is shared, 1 execution.
// To one file, through a descriptor each: 2.
//@ expect: verified
//@ revisions: two one
//@[two] cflags: -DFILES=2
//@[two] executions: 1
//@[two] outcomes: size=1 *1
//@[one] cflags: -DFILES=1
//@[one] executions: 2
//@[one] outcomes: size=1 first=120 *1 | size=1 first=121 *1
#include <dpor.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int files[2];

static void *write_one(void *letter) {
    dpor_assert(write(files[*(char *)letter == 'y'], letter, 1) == 1);
    return 0;
}

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t a, b;
    char text[8] = "";
    pthread_create(&a, 0, idle, 0);
    pthread_join(a, 0);
    files[0] = open("/tmp/dpor_files_first", O_RDWR | O_CREAT, 0600);
    dpor_assert(files[0] >= 0);
    files[1] = open(FILES == 2 ? "/tmp/dpor_files_second" : "/tmp/dpor_files_first", O_RDWR | O_CREAT, 0600);
    pthread_create(&a, 0, write_one, "x");
    pthread_create(&b, 0, write_one, "y");
    pthread_join(a, 0);
    pthread_join(b, 0);
    dpor_observe("size", pread(files[0], text, 8, 0));
    if (FILES == 1) dpor_observe("first", text[0]);
    return 0;
}
