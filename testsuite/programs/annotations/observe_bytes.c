// Names of outcomes are bytes: two that differ in any byte are two. Shown are printable characters as they are, others
// as in a literal of C, a backslash twice.
//
// Store buffering. A trace is an order of x's store and load, and one of y's: four, of which the one with both loads
// first is none (each thread stores before it loads). Three executions, each with an outcome of its own.
//
// [latin1] The names differ behind a byte that is no UTF-8 (LATIN SMALL LETTER Y WITH DIAERESIS in ISO 8859-1).
// [escape] One has that byte, the other the four characters that show it.
// [control] One has an escape sequence of a terminal, the other a newline.
//
//@ revisions: latin1 escape control
//@ opt: O0 O2
//@ expect: verified
//@ executions: 3
//@[latin1] cflags: -DLATIN1
//@[escape] cflags: -DESCAPE
//@[latin1] outcomes: a\xff1=0 a\xff2=1 | a\xff1=1 a\xff2=0 | a\xff1=1 a\xff2=1
//@[escape] outcomes: a\xff=0 a\\xff=1 | a\xff=1 a\\xff=0 | a\xff=1 a\\xff=1
//@[control] outcomes: \x1b[2J=0 \n=1 | \x1b[2J=1 \n=0 | \x1b[2J=1 \n=1
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef LATIN1
#define ONE "a\xff" "1"
#define OTHER "a\xff" "2"
#elif defined ESCAPE
#define ONE "a\xff"
#define OTHER "a\\xff"
#else
#define ONE "\033[2J"
#define OTHER "\n"
#endif

static atomic_int x, y;

static void *one(void *unused)
{
    atomic_store(&x, 1);
    dpor_observe(ONE, atomic_load(&y));
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, one, 0);
    atomic_store(&y, 1);
    dpor_observe(OTHER, atomic_load(&x));
    pthread_join(thread, 0);
    return 0;
}
