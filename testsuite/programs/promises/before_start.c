// Hooks and interposed functions pass through before the runtime has started: code that the loader
// runs before any constructor, the runtime's included, uses atomics, a mutex, the heap, a key, once
// and output; what it stored is there later. Two orders of a store and a load.
//@ revisions: check off
//@[off] mode: off
//@[off] cflags: -DJOIN_FIRST
//@[check] expect: verified
//@[check] executions: 2
//@[check] parts: no // a terminal, as that of mpirun, gets lines at once
//@ outputs: early\n
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

atomic_int cell;
static int plain, once_ran;
static char *block;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void run_once(void) { once_ran++; }

static void early(void) {
    atomic_fetch_add(&cell, 3);
    pthread_mutex_lock(&mutex);
    plain++;
    pthread_mutex_unlock(&mutex);
    pthread_once(&once, run_once);
    pthread_key_create(&key, 0);
    pthread_setspecific(key, &plain);
    block = realloc(strcpy(malloc(10), "block"), 5000);
    puts("early");
}

__attribute__((section(".preinit_array"), used)) static void (*const before)(void) = early;

static void *work(void *unused) {
    atomic_store(&cell, 4);
    pthread_mutex_lock(&mutex);
    plain++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
#ifdef JOIN_FIRST
    pthread_join(thread, 0);
#endif
    int seen = atomic_load(&cell);
    int right = (seen == 3 || seen == 4) && once_ran == 1 && pthread_getspecific(key) == &plain;
#ifndef JOIN_FIRST
    pthread_join(thread, 0);
#endif
    right = right && plain == 2 && strcmp(block, "block") == 0;
    free(block);
    return !right;
}
