// N threads pass a ticket lock once; a thread that looks before its turn is cut by an assume.
// Complete: only the order of the tickets differs, N!.
// Blocked: let m threads have passed, 0 < m < N, so that `owner` takes the values 0..m. The thread
// with ticket m looked while it was less than m: m ways. The N-1-m later ones looked at any of the
// m+1 values. Looks between the same two stores commute, and a look comes after its ticket only,
// which no store waits for. So N! * sum of m (m+1)^(N-1-m).
// N = 2: 2 * 1 = 2. N = 3: 6 * (2 + 2) = 24. N = 4: 24 * (4 + 6 + 3) = 312.
//@ revisions: n2 n3 n4
//@ expect: verified
//@[n2] executions: 2
//@[n3] executions: 6
//@[n4] executions: 24
//@[n2] blocked: 2
//@[n3] blocked: 24
//@[n4] blocked: 312
//@[n2] cflags: -DN=2
//@[n3] cflags: -DN=3
//@[n4] cflags: -DN=4
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int next, owner;
int passed;

static void *work(void *unused) {
    int ticket = atomic_fetch_add(&next, 1);
    dpor_assume(atomic_load(&owner) == ticket);
    passed++;
    atomic_store(&owner, ticket + 1);
    return unused;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    dpor_assert(passed == N);
    return 0;
}
