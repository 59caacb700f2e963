// The model of a file system: a thread gives its inode a block, the first free one from a place on that the inode's
// number gives. Each inode and each block has a lock.
// Source: the model of Flanagan and Godefroid (POPL 2005, figure 7), which Musuvathi and Qadeer, PLDI 2007, use to
// measure coverage (4 threads, no bug); written anew.
//
// Executions: inodes 0 and 13 both begin at block 0 (2 * 13 = 26, and there are 26 blocks), inodes 1 and 14 both at
// block 2. Of each pair one thread is first at the lock of the block; the other then takes the next block, whose lock is
// its alone. No other lock is wanted by two. So there are 2 * 2 orders, and none needs a preemption.
//@ revisions: without rising all
//@ expect: verified
//@ executions: 4
//@[without] args: --bound=0
//@[rising] args: --iterative
#include <pthread.h>

enum { INODES = 32, BLOCKS = 26 };

static pthread_mutex_t inode_locks[INODES], block_locks[BLOCKS];
static int inodes[INODES], busy[BLOCKS];

static void *create(void *number) {
    int i = *(int *)number;
    pthread_mutex_lock(&inode_locks[i]);
    if (inodes[i] == 0) {
        int b = i * 2 % BLOCKS;
        for (;;) {
            pthread_mutex_lock(&block_locks[b]);
            if (!busy[b]) {
                busy[b] = 1;
                inodes[i] = b + 1;
                pthread_mutex_unlock(&block_locks[b]);
                break;
            }
            pthread_mutex_unlock(&block_locks[b]);
            b = (b + 1) % BLOCKS;
        }
    }
    pthread_mutex_unlock(&inode_locks[i]);
    return 0;
}

int main(void) {
    static int numbers[] = {0, 13, 1, 14};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        pthread_create(&threads[i], 0, create, &numbers[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], 0);
    }
    return 0;
}
