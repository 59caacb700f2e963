// Faults that a handler of the program's takes. leave: it leaves with siglongjmp; both threads do so at once,
// and nothing of it is shared but the table of actions, which both read: 1 trace. alternate: the same on an
// alternate stack, where the handler's variables are. overflow: a thread's stack is used up; only the
// alternate one has room. The handler is installed before there is a second thread; inside: by each thread,
// which are two writes of the table and two reads: the orders of w1 r1 and w2 r2 where the writes differ by
// order and each read by what it is next to: w1 r1 w2 r2, w1 w2 {r1, r2}, w2 w1 {r1, r2}, w2 r2 w1 r1: 4.
// skip: the handler changes the instruction pointer and a register, with which the program goes on; what is
// in the other registers is kept. divide: the same signal number is told, and its code.
// once: SA_RESETHAND; the second fault is a crash. blocked: a signal that the thread blocks is one, too.
// none: SIG_DFL. raised: raise() runs the handler, too.
//@ revisions: leave alternate overflow inside skip divide once blocked none raised
//@ opt: O0 O2
//@ expect: verified
//@ executions: 1
//@[leave] cflags: -DLEAVE
//@[alternate] cflags: -DLEAVE -DALTERNATE
//@[overflow] cflags: -DOVERFLOW -DALTERNATE
//@[inside] cflags: -DLEAVE -DINSIDE
//@[inside] executions: 4
//@[skip] cflags: -DSKIP
//@[divide] cflags: -DDIVIDE
//@[once] cflags: -DONCE
//@[once] expect: bug
//@[once] kind: crash
//@[once] executions: 0
//@[once] failed: 1
//@[blocked] cflags: -DBLOCKED
//@[blocked] expect: bug
//@[blocked] kind: crash
//@[blocked] executions: 0
//@[blocked] failed: 1
//@[none] cflags: -DNONE
//@[none] expect: bug
//@[none] kind: crash
//@[none] executions: 0
//@[none] failed: 1
//@[raised] cflags: -DRAISED
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

#define ALTERNATE_BYTES 65536

static _Thread_local sigjmp_buf back;
static _Thread_local char *alternate;
static _Thread_local int count;
// Of each thread's own: an access that faults is judged as one all the same.
static _Thread_local int *nowhere;
int zero;

static void handler(int signal, siginfo_t *information, void *context) {
    char here;
    count++;
    (void)here;
#ifdef ALTERNATE
    assert(&here >= alternate && &here < alternate + ALTERNATE_BYTES);
#endif
#ifdef SKIP
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    assert(signal == SIGILL);
    registers[REG_RIP] += 2;
    registers[REG_RAX] = 42;
#elif defined RAISED
    assert(signal == SIGSEGV);
#else
#ifdef DIVIDE
    assert(signal == SIGFPE && information->si_code == FPE_INTDIV);
#elif !defined OVERFLOW
    assert(signal == SIGSEGV && information->si_addr == nowhere);
#endif
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
    int signals[] = {SIGSEGV, SIGFPE, SIGILL};
#ifdef INSIDE
    sigaction(SIGSEGV, &action, 0);
#elif !defined NONE
    for (int k = 0; k < 3; k++) sigaction(signals[k], &action, 0);
#endif
    (void)signals;
}

__attribute__((noinline, unused)) static int deeper(int depth) {
    volatile char room[4096];
    room[0] = (char)depth;
    return deeper(depth + 1) + room[0];
}

__attribute__((unused)) static void fault(void) {
    if (!sigsetjmp(back, 1)) {
        *nowhere = 1;
        assert(0);
    }
}

static void *work(void *place) {
    nowhere = place;
#ifdef INSIDE
    install();
#endif
#ifdef ALTERNATE
    alternate = malloc(ALTERNATE_BYTES);
    stack_t stack = {.ss_sp = alternate, .ss_size = ALTERNATE_BYTES}, told;
    assert(!sigaltstack(&stack, 0) && !sigaltstack(0, &told) && told.ss_sp == alternate);
#endif
#ifdef BLOCKED
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    pthread_sigmask(SIG_BLOCK, &set, 0);
#endif
#if defined OVERFLOW
    if (!sigsetjmp(back, 1)) assert(deeper(0) && 0);
#elif defined SKIP
    uint64_t result = 1, kept = 7;
    double real = 1.5;
    __asm__ volatile("ud2" : "+a"(result), "+r"(kept), "+x"(real));
    assert(result == 42 && kept == 7 && real == 1.5);
#elif defined DIVIDE
    if (!sigsetjmp(back, 1)) {
        __asm__ volatile("cltd; idivl %1" : : "a"(1), "r"(zero) : "edx");
        assert(0);
    }
#elif defined RAISED
    raise(SIGSEGV);
#else
    fault();
#ifdef ONCE
    fault();
#endif
#endif
    assert(count == 1);
#ifdef ALTERNATE
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, 0);
    free(alternate);
#endif
    return 0;
}

int main(void) {
    pthread_t thread;
#ifndef INSIDE
    install();
#endif
    pthread_create(&thread, 0, work, (void *)8);
#if defined LEAVE || defined SKIP
    work((void *)16);
#endif
    pthread_join(thread, 0);
    return 0;
}
