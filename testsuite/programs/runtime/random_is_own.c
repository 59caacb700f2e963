// The random bytes of a thread are a function of its own history: whatever the other one does, and
// in whichever order, each gets the same (one outcome in all four traces of two stores and loads).
//@ expect: verified
//@ outcomes-distinct: 1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/random.h>

atomic_int x, y;
int random_of[2];

static void *draw(void *number) {
    int mine = number != 0;
    atomic_store(mine ? &x : &y, 1);
    getrandom(&random_of[mine], sizeof(int), 0);
    (void)atomic_load(mine ? &y : &x);
    int more;
    getrandom(&more, sizeof more, 0);
    random_of[mine] ^= more;
    return 0;
}

int main(void) {
    pthread_t one, two;
    int before;
    pthread_create(&one, 0, draw, 0);
    pthread_create(&two, 0, draw, &x);
    pthread_join(one, 0);
    pthread_join(two, 0);
    getrandom(&before, sizeof before, 0);
    dpor_observe("equal", random_of[0] == random_of[1]);
    dpor_observe("first", random_of[0]);
    dpor_observe("second", random_of[1]);
    dpor_observe("main", before);
    return 0;
}
