// Loads ahead of their conditions, whose values go further: over a call that locks, into a sum, through a second
// condition. Only `b` is used, and only that one is a race of the program's.
//@ options: --races=c11 --plain=explore
//@ verdict: same
//@ both: data-race b
//@ introduced: speculated-load a 0 16
//@ change: moved read a 24 -> 0
//@ introduced: speculated-load c 18 27
//@ change: moved read c 28 -> 27
//@ ir: look: __dpor_read_ahead: 3
#include <dpor.h>
#include <pthread.h>
int a, b, c;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *change(void *unused) {
    a = 1;
    b = 1;
    c = 1;
    return unused;
}
static __attribute__((noinline)) int look(int no, int yes) {
    int first = 0, second = 0, third = 0;
    if (no)
        first = a;
    if (yes)
        second = b;
    if (yes && no)
        third = c;
    pthread_mutex_lock(&mutex);
    int sum = 0;
    if (no)
        sum = first;
    sum += second + third;
    pthread_mutex_unlock(&mutex);
    return sum;
}
int main(int count, char **names) {
    (void)names;
    pthread_t thread;
    pthread_create(&thread, 0, change, 0);
    int sum = look(count == 7, count == 1);
    pthread_join(thread, 0);
    dpor_observe("sum", sum);
    return 0;
}
