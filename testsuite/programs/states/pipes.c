// Questions and answers through two pipes, for ever: what went through them is no part of a state.
// *wrong*: main asks twice at first, and so gets an old answer later.
//@ revisions: right wrong
//@ args: --states --max-states 100000
//@ checkpoint: snapshot
//@ parts: no
//@ opt: O0 O2
//@[right] expect: verified
//@[wrong] expect: bug
//@[wrong] kind: assertion
//@[wrong] cflags: -DWRONG
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int questions[2], answers[2];

static void *answer(void *unused) {
    for (;;) {
        char c;
        if (read(questions[0], &c, 1) != 1)
            return unused;
        c ^= 1;
        write(answers[1], &c, 1);
    }
}

int main(void) {
    pthread_t thread;
    pipe(questions);
    pipe(answers);
    pthread_create(&thread, 0, answer, 0);
#ifdef WRONG
    write(questions[1], "a", 1);
#endif
    for (char question = 'a';; question ^= 1) {
        char c;
        write(questions[1], &question, 1);
        read(answers[0], &c, 1);
        assert(c == (question ^ 1));
    }
}
