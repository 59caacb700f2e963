// twostage.c with 59 writers and a reader (the checker knows at most 64 threads at once): the reader has to read
// before any of the writers is through, although one has begun.
//@ expect: bug
//@ kind: assertion
//@ checkpoint: snapshot
//@ args: --search=surw // the optimal search does not come to it within a minute
//@ cflags: -DWRITERS=59
#include "twostage.c"
