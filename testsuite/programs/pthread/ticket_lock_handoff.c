// A ticket lock in which nobody spins: who draws ticket t locks turn[t + 1] with it, and then waits
// for turn[t], which its predecessor holds until it is done. `door` makes drawing and locking one.
// Only the order at the door differs: turn[t + 1] is locked by t before t + 1 comes through the
// door, and then blocks it until t unlocks. N! traces. N = 7: 5,040.
//@ revisions: n2 n4 n7
//@ expect: verified
//@[n2] executions: 2
//@[n4] executions: 24
//@[n7] executions: 5,040
//@[n2] cflags: -DN=2
//@[n4] cflags: -DN=4
//@[n7] cflags: -DN=7
//@[n7] checkpoint: snapshot // in fresh processes it would take a minute
#include <dpor.h>
#include <pthread.h>

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER, turn[N + 1];
static int next;
int passed;

static void *work(void *unused) {
    pthread_mutex_lock(&door);
    int ticket = next++;
    pthread_mutex_lock(&turn[ticket + 1]);
    pthread_mutex_unlock(&door);
    pthread_mutex_lock(&turn[ticket]);
    passed++;
    pthread_mutex_unlock(&turn[ticket]);
    pthread_mutex_unlock(&turn[ticket + 1]);
    return unused;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i <= N; i++) pthread_mutex_init(&turn[i], 0);
    for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    for (int i = 0; i <= N; i++) pthread_mutex_destroy(&turn[i]);
    dpor_assert(passed == N);
    return 0;
}
