// N philosophers take the left fork, then the right one.
// Each fork is used by its two neighbours in one of two orders: 2^N orientations of a ring. The
// two cyclic ones are no executions that end: in one, all wait with their left fork in hand (the
// deadlock), the other would need everyone to finish before the next begins, all round. The other
// 2^N - 2 complete. N = 3: 6, 4: 14, 5: 30.
//@ revisions: n3 n4 n5
//@ expect: bug
//@ kind: deadlock
//@ args: -k
//@ deadlocked: 1
//@[n3] executions: 6
//@[n4] executions: 14
//@[n5] executions: 30
//@[n3] cflags: -DN=3
//@[n4] cflags: -DN=4
//@[n5] cflags: -DN=5
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t fork_[N];

static void *dine(void *number) {
    int seat = (int)(intptr_t)number;
    int left = seat, right = (seat + 1) % N;

    pthread_mutex_lock(&fork_[left]);
    pthread_mutex_lock(&fork_[right]); //~ deadlock
    pthread_mutex_unlock(&fork_[right]);
    pthread_mutex_unlock(&fork_[left]);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++) pthread_mutex_init(&fork_[i], 0);
    for (intptr_t i = 0; i < N; i++) pthread_create(&threads[i], 0, dine, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    for (int i = 0; i < N; i++) pthread_mutex_destroy(&fork_[i]);
    return 0;
}
