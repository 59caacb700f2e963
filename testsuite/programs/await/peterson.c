// Peterson's algorithm: the loop looks at two places. The looks of a turn are events; a turn in vain is the last thing
// that its thread does. [every_turn] The first look of the next turn waits until one of the two places is not what it
// was. Counted by brute force: testsuite/tests/suite/waiting.rs.
//@ expect: verified
//@ revisions: left every_turn
//@[left] executions: 4
//@[left] blocked: 6
//@[every_turn] executions: 12
//@[every_turn] args: --reductions=none,every-turn
//@ opt: O0 O1 O2
//@ smoke: yes
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N = 2 };

atomic_int flag[N], turn;
int shared;

static void lock(int me) {
    int other = 1 - me;
    atomic_store(&flag[me], 1);
    atomic_store(&turn, other);
    while (atomic_load(&flag[other]) && atomic_load(&turn) == other) {
    }
}

static void unlock(int me) {
    atomic_store(&flag[me], 0);
}

static void *work(void *arg) {
    int me = (int)(long)arg;
    lock(me);
    shared++;
    unlock(me);
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++) {
        pthread_create(&threads[i], NULL, work, (void *)i);
    }
    for (int i = 0; i < N; i++) {
        pthread_join(threads[i], NULL);
    }
    return shared == N ? 0 : 1;
}
