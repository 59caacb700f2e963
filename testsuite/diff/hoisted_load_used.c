// As hoisted_load.c, under a condition that holds in the last turn: the value is used.
//@ options: --races=c11 --plain=explore
//@ verdict: same
//@ both: data-race data
//@ ir: add_some: __dpor_read_ahead: 1
#define SET 1
#include "hoisted_load.c"
