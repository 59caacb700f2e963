// Threads give their inode a block: inode t mod 32, first try block 2t mod 26, else the next free.
// With N <= 32 threads no inode is shared. Blocks: threads t and t + 13 want the same one; the
// loser takes 2t + 1, an odd one, that is wanted by no one else. So each of the N - 13 pairs has two
// orders of one lock section: 2^(N-13). 13: 1, 16: 8, 18: 32, 20: 128, 22: 512, 26: 8,192.
// Source: the benchmark of Flanagan and Godefroid (2005), table in the Inspect paper.
//@ revisions: n13 n16 n18 n20 n22 n26
//@ expect: verified
//@[n13] executions: 1
//@[n16] executions: 8
//@[n18] executions: 32
//@[n20] executions: 128
//@[n22] executions: 512
//@[n26] executions: 8,192
//@[n13] cflags: -DN=13
//@[n16] cflags: -DN=16
//@[n18] cflags: -DN=18
//@[n20] cflags: -DN=20
//@[n22] cflags: -DN=22
//@[n26] cflags: -DN=26
//@[n26] checkpoint: snapshot // in fresh processes it would take a minute
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { INODES = 32, BLOCKS = 26 };

static pthread_mutex_t inode_lock[INODES], block_lock[BLOCKS];
static int inode[INODES];
static bool busy[BLOCKS];

static void *allocate(void *number) {
    int i = (int)(intptr_t)number % INODES;
    pthread_mutex_lock(&inode_lock[i]);
    if (inode[i] == 0) {
        int b = i * 2 % BLOCKS;
        for (;;) {
            pthread_mutex_lock(&block_lock[b]);
            if (!busy[b]) break;
            pthread_mutex_unlock(&block_lock[b]);
            b = (b + 1) % BLOCKS;
        }
        busy[b] = true;
        inode[i] = b + 1;
        pthread_mutex_unlock(&block_lock[b]);
    }
    pthread_mutex_unlock(&inode_lock[i]);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < INODES; i++) pthread_mutex_init(&inode_lock[i], 0);
    for (int i = 0; i < BLOCKS; i++) pthread_mutex_init(&block_lock[i], 0);
    for (intptr_t i = 0; i < N; i++) pthread_create(&threads[i], 0, allocate, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    for (int i = 0; i < INODES; i++) pthread_mutex_destroy(&inode_lock[i]);
    for (int i = 0; i < BLOCKS; i++) pthread_mutex_destroy(&block_lock[i]);
    return 0;
}
