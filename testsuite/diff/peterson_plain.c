// Peterson's lock with plain variables.
// -O0: both are read in every round, so under sequential consistency the lock holds: 2 each time.
// -O2: turn was just stored by the thread itself, so it is not read again; nobody stores the other flag in
// the loop, so it is read once. Who finds it set goes round for ever.
// The twelve executions of -O0 are those of peterson_atomic.c: the same accesses, the same conflicts.
//@ options: --plain=explore --races=off --step-limit 0.2
//@ verdict: different
//@ introduced: endless-loop 20
//@ introduced: endless-loop 32
//@ change: vanished read turn 20
//@ change: vanished read turn 32
//@ ir: main: load i32, ptr @turn: 0
//@ ir: second: load i32, ptr @turn: 0
#include <dpor.h>
#include <pthread.h>
int flag[2], turn, inside;
static void *second(void *unused) {
    flag[1] = 1;
    turn = 0;
    while (flag[0] && turn == 0)
        ;
    int was = inside;
    inside = was + 1;
    flag[1] = 0;
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, second, 0);
    flag[0] = 1;
    turn = 1;
    while (flag[1] && turn == 1)
        ;
    int was = inside;
    inside = was + 1;
    flag[0] = 0;
    pthread_join(thread, 0);
    dpor_observe("inside", inside);
    return 0;
}
