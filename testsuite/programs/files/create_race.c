// Two threads make the same file with O_EXCL: one of them is the first. A third looks whether it is
// there (stat), before or after the file is made.
// Making it (A, B) and looking (S) conflict with everything, and each maker closes its descriptor, if it
// got one, in two more events that nobody else shares. So many orders of A, B and S are there: 6.
// --search=dfs must find the same outcomes.
//@ expect: verified
//@ outcomes: first=0 there=0 | first=0 there=1 | first=1 there=0 | first=1 there=1
//@ dfs: same-outcomes
#include <dpor.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "/tmp/dpor_files_create_race"

static int made[2], there;

static void *make(void *slot) {
    int fd = open(NAME, O_WRONLY | O_CREAT | O_EXCL, 0600);
    dpor_assert(fd >= 0 || errno == EEXIST);
    *(int *)slot = fd >= 0;
    return 0;
}

static void *look(void *unused) {
    struct stat info;
    there = stat(NAME, &info) == 0;
    return unused;
}

int main(void) {
    pthread_t a, b, c;
    unlink(NAME); // of a run without dpor
    pthread_create(&a, 0, make, &made[0]);
    pthread_create(&b, 0, make, &made[1]);
    pthread_create(&c, 0, look, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    dpor_assert(made[0] + made[1] == 1);
    dpor_observe("first", made[1]);
    dpor_observe("there", there);
    return 0;
}
