// Two threads make the same folder (A, B), a third removes it (R), each in a call that conflicts with
// everything. Without R between them one of A and B makes it: ABR, BAR, RAB, RBA, where R succeeds in the
// first two; otherwise all succeed: ARB, BRA.
//@ expect: verified
//@ outcomes: a=1 b=0 r=1 | a=0 b=1 r=1 | a=1 b=0 r=0 | a=0 b=1 r=0 | a=1 b=1 r=1
//@ dfs: same-outcomes
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "/tmp/dpor_files_folder_race"

static int a, b, r;

static void *make(void *made) {
    *(int *)made = mkdir(NAME, 0700) == 0;
    dpor_assert(*(int *)made || errno == EEXIST);
    return 0;
}

static void *take_away(void *unused) {
    r = rmdir(NAME) == 0;
    dpor_assert(r || errno == ENOENT);
    return unused;
}

int main(void) {
    pthread_t one, two, three;
    pthread_create(&one, 0, make, &a);
    pthread_create(&two, 0, make, &b);
    pthread_create(&three, 0, take_away, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    pthread_join(three, 0);
    dpor_observe("a", a);
    dpor_observe("b", b);
    dpor_observe("r", r);
    return 0;
}
