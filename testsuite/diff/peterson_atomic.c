// Peterson's lock with atomic variables: the optimizer leaves every access.
//@ options: --message-format=human
//@ verdict: same
//@ ir: main: call i32 @__dpor_load4: 2
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int flag[2], turn;
int inside;
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
