// With --plain=explore a call is an event, too. The writer makes a text longer, twice; the reader looks
// before, between and after: 3 traces, 3 lengths. `copy`: the copy is made at one of these moments, so
// that its two last characters are (none, none), (c, none), (c, d).
//@ revisions: length copy
//@ args: --plain=explore --races=off
//@ expect: verified
//@ executions: 3
//@ dfs: same-outcomes
//@[length] outcomes: n=2 *1 | n=3 *1 | n=4 *1
//@[copy] cflags: -DCOPY
//@[copy] outcomes: x=0 y=0 *1 | x=99 y=0 *1 | x=99 y=100 *1
#include <dpor.h>
#include <pthread.h>
#include <string.h>

char text[8] = "ab", copy[8];

static void *writer(void *unused) {
    text[2] = 'c';
    text[3] = 'd';
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
#ifdef COPY
    strcpy(copy, text);
    pthread_join(thread, 0);
    dpor_observe("x", copy[2]);
    dpor_observe("y", copy[3]);
#else
    dpor_observe("n", strlen(text));
    pthread_join(thread, 0);
#endif
    return 0;
}
