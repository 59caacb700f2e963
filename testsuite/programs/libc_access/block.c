// The text of a new block is written by the function that makes it. The thread hands the block to main, by a
// store that orders nothing: a race with main's read. With release and acquire there is none. main finds the
// block or not: 2 traces, of which the one with the read has the race. With -k both are counted.
//@ revisions: asprintf vasprintf strdup realpath asprintf-ordered strdup-ordered
//@ args: -k
//@ executions: 2
//@[asprintf] cflags: -DORDER=memory_order_relaxed -DMAKE=asprintf(&made,form,42)
//@[vasprintf] cflags: -DORDER=memory_order_relaxed -DMAKE=print(&made,form,42)
//@[strdup] cflags: -DORDER=memory_order_relaxed -DMAKE=made=strdup(form)
//@[realpath] cflags: -DORDER=memory_order_relaxed -DMAKE=made=realpath(root,0)
//@[asprintf-ordered] cflags: -DORDER=memory_order_seq_cst -DMAKE=asprintf(&made,form,42)
//@[strdup-ordered] cflags: -DORDER=memory_order_seq_cst -DMAKE=made=strdup(form)
//@[asprintf] expect: bug
//@[asprintf] kind: data-race
//@[vasprintf] expect: bug
//@[vasprintf] kind: data-race
//@[strdup] expect: bug
//@[strdup] kind: data-race
//@[realpath] expect: bug
//@[realpath] kind: data-race
//@[asprintf-ordered] expect: verified
//@[strdup-ordered] expect: verified
#define _GNU_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char form[] = "%d", root[] = "/";
_Atomic(char *) handed;
_Thread_local volatile char sink;

__attribute__((unused)) static int print(char **to, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int length = vasprintf(to, format, list);
    va_end(list);
    return length;
}

static void *maker(void *unused) {
    char *made;
    MAKE;
    atomic_store_explicit(&handed, made, ORDER);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, maker, 0);
    char *text = atomic_load_explicit(&handed, ORDER);
    if (text) sink = text[0];
    pthread_join(thread, 0);
    return 0;
}
