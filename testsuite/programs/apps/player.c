// A media player: a reader puts blocks of sound into a ring of two, a player takes them out, each with a condition
// variable of its own; the reader says when the sound has ended.
// Source: Yang, Chen, Gopalakrishnan and Kirby checked tplay 0.6.1, such a player with two threads, and found nothing.
// Written anew; the bugs are ours.
//
// Executions of `correct`, three blocks: the sections of the mutex in all orders. f(r, p): r blocks are read, p played.
// The reader reads, or waits when the ring is full (r - p = 2), and then the player must go on; the player plays, or
// waits when it is empty (r = p), and then the reader must. When all is read there is one way: f(3, p) = 1.
// f(2,2) = 2 f(3,2) = 2, f(2,1) = f(3,1) + f(2,2) = 3, f(2,0) = 2 f(2,1) = 6, f(1,1) = 2 f(2,1) = 6,
// f(1,0) = f(2,0) + f(1,1) = 12, f(0,0) = 2 f(1,0) = 24.
// - once: `if` for `while`; a second player takes the block before the one that is woken comes to it.
// - spurious: the same with one player, who is woken by nobody. one: who is not, and that is why nobody sees it. As the
//   reader wakes the player after each block, the executions are those of `correct`.
// - lost: the player looks, gives the mutex back, and then waits: the reader's last signal comes between the two.
// - flag: the player looks without the mutex whether the sound has ended.
//@ revisions: correct once spurious one lost flag
//@ opt: O0 O2
//@ expect: bug
//@[correct] expect: verified
//@[correct] executions: 24
//@[once] cflags: -DONCE -DPLAYERS=2
//@[once] kind: assertion
//@[spurious] cflags: -DONCE
//@[spurious] args: --spurious=1
//@[spurious] kind: assertion
//@[one] cflags: -DONCE
//@[one] expect: verified
//@[one] executions: 24
//@[lost] cflags: -DLOST
//@[lost] kind: deadlock lost-wakeup
//@[flag] cflags: -DFLAG
//@[flag] kind: data-race
#include <assert.h>
#include <pthread.h>

#ifndef PLAYERS
#define PLAYERS 1
#endif

enum { RING = 2, BLOCKS = 3, SAMPLES = 4 };

static short ring[RING][SAMPLES];
static int filled, next, ended, sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;

static void *read_sound(void *unused) {
    for (int block = 0; block < BLOCKS; block++) {
        pthread_mutex_lock(&lock);
        while (filled == RING) {
            pthread_cond_wait(&not_full, &lock);
        }
        for (int i = 0; i < SAMPLES; i++) {
            ring[block % RING][i] = (short)block;
        }
        filled++;
        ended = block == BLOCKS - 1; //~[flag] race
        pthread_cond_broadcast(&not_empty);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

// Returns with the mutex when there is a block, or the sound has ended.
static void wait_for_block(void) {
    pthread_mutex_lock(&lock);
#ifdef ONCE
    if (!filled && !ended) {
        pthread_cond_wait(&not_empty, &lock);
        assert(filled || ended); //~[once] assertion
    }
#elif defined LOST
    while (!filled && !ended) {
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&not_empty, &lock); //~[lost] deadlock
    }
#else
    while (!filled && !ended) {
        pthread_cond_wait(&not_empty, &lock);
    }
#endif
}

static int play_block(void) {
    wait_for_block();
    int is_there = filled > 0;
    if (is_there) {
        for (int i = 0; i < SAMPLES; i++) {
            sum += ring[next][i];
        }
        next = (next + 1) % RING;
        filled--;
        pthread_cond_signal(&not_full);
    }
    pthread_mutex_unlock(&lock);
    return is_there;
}

static void *play_sound(void *unused) {
#ifdef FLAG
    while (!ended) { //~[flag] race
        play_block();
    }
#endif
    while (play_block()) {
    }
    return unused;
}

int main(void) {
    pthread_t reader, players[PLAYERS];
    pthread_create(&reader, 0, read_sound, 0);
    for (int i = 0; i < PLAYERS; i++) {
        pthread_create(&players[i], 0, play_sound, 0);
    }
    pthread_join(reader, 0);
    for (int i = 0; i < PLAYERS; i++) {
        pthread_join(players[i], 0);
    }
    assert(sum == SAMPLES * (0 + 1 + 2));
    return 0;
}
