// Read-copy-update in the manner of liburcu's flavour with memory barriers, a reader and a writer for ever. A reader
// copies the phase of the moment into its own word; a grace period turns the phase twice, and waits each time until no
// reader is in the phase before. [once] It turns once: a reader that copied the phase long ago and stored it just now
// seems to be of the phase after the next turn, and what it reads is freed. That takes two grace periods.
//@ revisions: right once
//@ args: --states
//@ opt: O0 O2
//@[right] expect: verified
//@[once] cflags: -DPHASES=1
//@[once] expect: bug
//@[once] kind: data-race
//@[once] message: heap block
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef PHASES
#define PHASES 2
#endif

#define INSIDE 1u
#define PHASE 2u

struct settings {
    int width, height;
};

static atomic_uint phase = INSIDE;
static atomic_uint reader;
static _Atomic(struct settings *) current;

static void rcu_read_lock(void) { atomic_store(&reader, atomic_load(&phase)); }

static void rcu_read_unlock(void) { atomic_store(&reader, 0); }

static int is_before(unsigned word) { return (word & INSIDE) && ((word ^ atomic_load(&phase)) & PHASE); }

static void synchronize_rcu(void) {
    for (int n = 0; n < PHASES; n++) {
        atomic_fetch_xor(&phase, PHASE);
        while (is_before(atomic_load(&reader))) {
        }
    }
}

static void *read_settings(void *unused) {
    for (;;) {
        rcu_read_lock();
        struct settings *settings = atomic_load(&current);
        assert(settings->width == settings->height);
        rcu_read_unlock();
    }
    return unused;
}

static struct settings *settings_of(int size) {
    struct settings *settings = malloc(sizeof *settings);
    settings->width = settings->height = size;
    return settings;
}

int main(void) {
    pthread_t thread;
    atomic_store(&current, settings_of(0));
    pthread_create(&thread, 0, read_settings, 0);
    for (int size = 1;; size ^= 1) {
        struct settings *old = atomic_exchange(&current, settings_of(size));
        synchronize_rcu();
        free(old);
    }
}
