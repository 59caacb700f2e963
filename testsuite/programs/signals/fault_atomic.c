// Faults in atomic and volatile accesses that a handler of the program's takes. The access is an event that changes
// nothing, on its object. The handler reads the table of actions, as the other thread's does.
// leave: both threads leave the handler with siglongjmp, from accesses to different places: 1. alternate: the same on
// an alternate stack. kinds: each kind of access, one after the other, 8 faults in each thread: 1.
// same: both threads access one place: 2 orders.
// none: a crash. once: SA_RESETHAND, and the second fault is a crash.
// returns: the handler lets the page be used and returns, and the access is made anew, as another event. The handler
// reads y before main stores it or after: 2. readonly: the same where only the write faults.
// registers: it may not change them.
// protected: main forbids the page while the thread reads it. That is a write of the page, which races.
//@ revisions: leave alternate kinds same none once returns readonly registers protected
//@ opt: O0 O2
//@[leave] expect: verified
//@[leave] executions: 1
//@[alternate] cflags: -DALTERNATE
//@[alternate] expect: verified
//@[alternate] executions: 1
//@[kinds] cflags: -DKINDS
//@[kinds] expect: verified
//@[kinds] executions: 1
//@[same] cflags: -DSAME
//@[same] expect: verified
//@[same] executions: 2
//@[same] dfs: same-outcomes
//@[none] cflags: -DNONE
//@[none] expect: bug
//@[none] kind: crash
//@[none] failed: 1
//@[none] executions: 0
//@[once] cflags: -DONCE
//@[once] expect: bug
//@[once] kind: crash
//@[once] failed: 1
//@[once] executions: 0
//@[returns] cflags: -DRETURNS -DPROTECTION=PROT_NONE
//@[returns] expect: verified
//@[returns] executions: 2
//@[returns] outcomes: seen=0 result=5 *1 | seen=1 result=5 *1
//@[returns] dfs: same-outcomes
//@[readonly] cflags: -DRETURNS -DPROTECTION=PROT_READ
//@[readonly] expect: verified
//@[readonly] executions: 2
//@[readonly] outcomes: seen=0 result=5 *1 | seen=1 result=5 *1
//@[readonly] dfs: same-outcomes
//@[registers] cflags: -DREGISTERS
//@[registers] expect: unsupported
//@[registers] reason: changes registers
//@[protected] cflags: -DGOES
//@[protected] expect: bug
//@[protected] kind: data-race
#define _GNU_SOURCE
#include <assert.h>
#include <dpor.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define ALTERNATE_BYTES 65536
#define PAGE 4096

static _Thread_local sigjmp_buf back;
static _Thread_local char *alternate;
static _Thread_local int count;
static _Thread_local atomic_int *nowhere;
static atomic_int *page, y;
static sem_t mapped;
static int seen = -1, result;

static void handler(int signal, siginfo_t *information, void *context) {
    char here;
    count++;
    (void)here, (void)context;
    assert(signal == SIGSEGV);
#ifdef ALTERNATE
    assert(&here >= alternate && &here < alternate + ALTERNATE_BYTES);
#endif
#if defined RETURNS
    assert(information->si_addr == page);
    seen = y;
    mprotect(page, PAGE, PROT_READ | PROT_WRITE);
#elif defined REGISTERS
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX]++;
#elif defined GOES
    seen = count;
    siglongjmp(back, 1);
#else
    assert(information->si_addr == nowhere);
    siglongjmp(back, 1);
#endif
}

static void install(void) {
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
#ifdef ALTERNATE
    action.sa_flags |= SA_ONSTACK;
#endif
#ifdef ONCE
    action.sa_flags |= SA_RESETHAND;
#endif
#ifndef NONE
    sigaction(SIGSEGV, &action, 0);
#endif
}

#define FAULTS(access) \
    do { \
        if (!sigsetjmp(back, 1)) { \
            access; \
            abort(); \
        } \
    } while (0)

static void *work(void *place) {
    nowhere = place;
#ifdef ALTERNATE
    alternate = malloc(ALTERNATE_BYTES);
    stack_t stack = {.ss_sp = alternate, .ss_size = ALTERNATE_BYTES};
    assert(!sigaltstack(&stack, 0));
#endif
#ifdef KINDS
    int expected = 0;
    FAULTS(atomic_load(nowhere));
    FAULTS(atomic_store_explicit(nowhere, 1, memory_order_relaxed));
    FAULTS(atomic_fetch_add(nowhere, 1));
    FAULTS(result = atomic_exchange(nowhere, 1));
    FAULTS(atomic_compare_exchange_strong(nowhere, &expected, 1));
    FAULTS(*(volatile char *)nowhere = 1);
    FAULTS(*(volatile long *)nowhere);
    FAULTS(while (atomic_load(nowhere)) {});
    assert(count == 8);
#elif defined RETURNS
    sem_wait(&mapped);
    result = atomic_fetch_add(page, 5);
#elif defined REGISTERS || defined NONE || defined ONCE
    FAULTS(atomic_store(nowhere, 1));
    FAULTS(atomic_store(nowhere, 1));
#elif defined GOES
    sem_wait(&mapped);
    if (!sigsetjmp(back, 1)) result = atomic_load(page);
#elif defined SAME
    FAULTS(result = atomic_fetch_add(nowhere, 1));
#else
    FAULTS(atomic_store(nowhere, 1));
    assert(count == 1);
#endif
#ifdef ALTERNATE
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, 0);
    free(alternate);
#endif
    return 0;
}

int main(void) {
    pthread_t thread;
    sem_init(&mapped, 0, 0);
    install();
    pthread_create(&thread, 0, work, (void *)8);
#if defined RETURNS || defined GOES
#ifdef RETURNS
    int protection = PROTECTION;
#else
    int protection = PROT_READ | PROT_WRITE;
#endif
    page = mmap(0, PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sem_post(&mapped);
#ifdef RETURNS
    y = 1;
#else
    mprotect(page, PAGE, PROT_NONE);
#endif
#elif defined SAME
    work((void *)8);
#elif !defined REGISTERS && !defined NONE && !defined ONCE
    work((void *)16);
#endif
    pthread_join(thread, 0);
#ifdef RETURNS
    result = atomic_load(page);
#endif
    dpor_observe("seen", seen);
    dpor_observe("result", result);
    sem_destroy(&mapped);
    return 0;
}
