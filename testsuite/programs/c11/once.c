// call_once: whichever of the two threads comes first runs the routine: 2 orders of the two calls. The
// loser sees what the routine wrote without a race.
//@ expect: verified
//@ executions: 2
#include <dpor.h>
#include <threads.h>

static once_flag flag = ONCE_FLAG_INIT;
int made;

static void make(void) {
    made++;
}

static int use(void *unused) {
    (void)unused;
    call_once(&flag, make);
    dpor_assert(made == 1);
    return 0;
}

int main(void) {
    thrd_t threads[2];
    for (int i = 0; i < 2; i++) thrd_create(&threads[i], use, 0);
    for (int i = 0; i < 2; i++) thrd_join(threads[i], 0);
    return 0;
}
