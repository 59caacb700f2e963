// Threads insert 4 numbers each into a hash table of 128 cells, next cell on collision.
// Thread t inserts w = 11m + t, m = 1..4, at 7w mod 128. 7 is invertible and w < 128, so only equal
// numbers collide: 11m + t = 11m' + t' means t' = t + 11 and m = m' + 1: three collisions for each
// pair of threads 11 apart. The loser goes to 7w + 1 = 7(w + 55) mod 128, which no one else wants
// (w + 55 > 58, the largest number; different losers have different w). The three orders of a pair
// exclude none of each other, because both threads meet the cells in the same order.
// So 8 traces for every thread beyond the 11th: 1, 8, 64, 512, 4096, 32768.
// Source: the benchmark of Flanagan and Godefroid (2005), table in the Inspect paper.
//@ revisions: n11 n12 n13 n14 n15 n16
//@ expect: verified
//@[n11] executions: 1
//@[n12] executions: 8
//@[n13] executions: 64
//@[n14] executions: 512
//@[n15] executions: 4,096
//@[n16] executions: 32,768
//@[n11] cflags: -DN=11
//@[n12] cflags: -DN=12
//@[n13] cflags: -DN=13
//@[n14] cflags: -DN=14
//@[n15] cflags: -DN=15
//@[n16] cflags: -DN=16
//@[n15] checkpoint: snapshot
//@[n16] checkpoint: snapshot // in fresh processes it would take minutes
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { SIZE = 128, EACH = 4 };

static atomic_int table[SIZE];

static void *insert(void *number) {
    int thread = (int)(intptr_t)number;
    for (int m = 1; m <= EACH; m++) {
        int w = m * 11 + thread;
        int free_cell = 0;
        int h = w * 7 % SIZE;
        while (!atomic_compare_exchange_strong(&table[h], &free_cell, w)) {
            free_cell = 0;
            h = (h + 1) % SIZE;
        }
    }
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (intptr_t i = 0; i < N; i++) pthread_create(&threads[i], 0, insert, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    return 0;
}
