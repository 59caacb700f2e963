// The signal comes once and is not remembered: if it comes before the wait, the thread waits for ever.
// Two orders of the sections: one completes, one is a deadlock.
//@ expect: bug
//@ kind: deadlock lost-wakeup
//@ args: -k
//@ executions: 1
//@ deadlocked: 1
#include <threads.h>

static mtx_t mutex;
static cnd_t changed;

static int work(void *unused) {
    mtx_lock(&mutex);
    cnd_wait(&changed, &mutex); //~ deadlock
    mtx_unlock(&mutex);
    return unused != 0;
}

int main(void) {
    thrd_t thread;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
    thrd_create(&thread, work, 0);
    mtx_lock(&mutex);
    cnd_signal(&changed);
    mtx_unlock(&mutex);
    thrd_join(thread, 0);
    cnd_destroy(&changed);
    mtx_destroy(&mutex);
    return 0;
}
