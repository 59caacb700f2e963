// Two robots on a board, one goes along its rows, one along its columns; a cell counts who is there: on the way from one
// to the next a robot is in both. They meet where their ways meet. At the end both are in the last cell.
// [alone] Nobody meets anybody outside the corners: wrong.
// How many states there are is derived in testsuite/tests/suite/states_benchmarks.rs.
//@ revisions: right alone
//@ args: --states
//@ opt: O0 O2
//@[right] expect: verified
//@[alone] cflags: -DALONE
//@[alone] expect: bug
//@[alone] kind: assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef SIDE
#define SIDE 4
#endif
#define CELLS (SIDE * SIDE)

static atomic_int board[CELLS];

static int along_rows(int n) { return n; }

static int along_columns(int n) { return n % SIDE * SIDE + n / SIDE; }

static void go(int (*cell)(int)) {
    for (int n = 1; n < CELLS; n++) {
#ifdef ALONE
        int others = atomic_fetch_add(&board[cell(n)], 1);
        assert(!others || n == CELLS - 1); //~[alone] assertion
#else
        atomic_fetch_add(&board[cell(n)], 1);
#endif
        atomic_fetch_sub(&board[cell(n - 1)], 1);
    }
}

static void *column_robot(void *unused) {
    go(along_columns);
    return unused;
}

int main(void) {
    pthread_t thread;
    board[0] = 2;
    pthread_create(&thread, 0, column_robot, 0);
    go(along_rows);
    pthread_join(thread, 0);
    assert(board[CELLS - 1] == 2);
    return 0;
}
