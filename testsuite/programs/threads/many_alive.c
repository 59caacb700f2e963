// So many threads besides the first alive at once, which share nothing: 1 execution. 63 are as many as a process has
// room for at first. When they are joined, their numbers are there for others.
//@ revisions: few one_more hundred most
//@ expect: verified
//@ executions: 1
//@[few] program-args: 63
//@[one_more] program-args: 64
//@[hundred] program-args: 100
//@[most] program-args: 1024
#include <dpor.h>
#include <pthread.h>
#include <stdlib.h>

static int cells[1025];

static void *work(void *cell) {
    ++*(int *)cell;
    return cell;
}

int main(int count, char **arguments) {
    static pthread_t threads[1025];
    int all = atoi(arguments[count - 1]), sum = 0;
    for (int i = 0; i < all; i++) pthread_create(&threads[i], 0, work, &cells[i]);
    for (int i = all; i-- > 0;) pthread_join(threads[i], 0);
    for (int i = 0; i < 10; i++) pthread_create(&threads[i], 0, work, &cells[i]);
    for (int i = 0; i < 10; i++) pthread_join(threads[i], 0);
    for (int i = 0; i < all; i++) sum += cells[i];
    dpor_assert(sum == all + 10);
    return 0;
}
