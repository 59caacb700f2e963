// A reader and a writer for ever, with liburcu's flavour of memory barriers alone: after a grace period nobody
// reads the old settings, which are freed.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <urcu.h>
struct settings { int width, height; };
static _Atomic(struct settings *) current;
static struct settings *settings_of(int size) {
    struct settings *settings = malloc(sizeof *settings);
    settings->width = settings->height = size;
    return settings;
}
static void *read_settings(void *unused) {
    rcu_register_thread();
    for (;;) {
        rcu_read_lock();
        struct settings *settings = atomic_load(&current);
        assert(settings->width == settings->height);
        rcu_read_unlock();
    }
    return unused;
}
int main(void) {
    pthread_t thread;
    atomic_store(&current, settings_of(0));
    pthread_create(&thread, NULL, read_settings, NULL);
    for (int size = 1;; size ^= 1) {
        struct settings *old = atomic_exchange(&current, settings_of(size));
        synchronize_rcu();
        free(old);
    }
}
