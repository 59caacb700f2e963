// reorder.c with 19 setters and a checker: with every setter it gets less likely that the checker runs while
// a is set and b is not.
//@ expect: bug
//@ kind: assertion
//@ checkpoint: snapshot
//@ args: --search=surw // the optimal search does not come to it within a minute
//@ cflags: -DSETTERS=19
#include "reorder.c"
