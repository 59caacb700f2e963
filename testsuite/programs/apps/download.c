// A segmented downloader: each thread fetches its part of a file in pieces, writes them where they belong, and adds to
// the number of bytes that are there, which another thread reads to show the progress. The server is a constant text.
// Source: Yang, Chen, Gopalakrishnan and Kirby checked aget 0.4, such a program, and found a race on the number of bytes
// written; their distributed checker needed 113,400 runs for aget without it, with six threads. Written anew.
//
// Executions: the orders of the sections of the one mutex. `correct` has two threads with two pieces each, and one look
// at the progress: 5! / (2! 2! 1!) = 30. `six` is five threads with two pieces each, and main, who looks when they have
// been joined: 10! / (2!)^5 = 113,400.
// - races: pieces are added up without the lock. progress: the number is read without it.
// - early: main returns when it has begun all.
//@ revisions: correct six races progress early
//@ expect: verified
//@[correct] opt: O0 O2
//@[correct] executions: 30
//@[correct] outcomes: shown=0 *6 | shown=4 *6 | shown=8 *6 | shown=12 *6 | shown=16 *6
//@[six] cflags: -DSEGMENTS=5 -DNO_PROGRESS
//@[six] executions: 113,400
//@[six] checkpoint: snapshot
//@[races] opt: O0 // At O2 clang keeps the number in a register; its load has no line.
//@[races] cflags: -DRACES
//@[races] expect: bug
//@[races] kind: data-race
//@[progress] opt: O0 O2
//@[progress] cflags: -DUNLOCKED_PROGRESS
//@[progress] expect: bug
//@[progress] kind: data-race
//@[early] opt: O0 O2
//@[early] cflags: -DEARLY -DNO_PROGRESS
//@[early] kind: main-exits-early
#include <assert.h>
#include <dpor.h>
#include <pthread.h>
#include <string.h>

#ifndef SEGMENTS
#define SEGMENTS 2
#endif

enum { PIECE = 4, PIECES = 2, SIZE = SEGMENTS * PIECES * PIECE };

static const char remote[] = "All the bytes of a file that is far away";
static char local[SIZE];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int bytes;

// As a server would answer: `size` bytes from `offset` on.
static void fetch(char *to, int offset, int size) { memcpy(to, remote + offset, size); }

static void add(int size) {
#ifdef RACES
    bytes += size; //~[races] race
#else
    pthread_mutex_lock(&lock);
    bytes += size; //~[progress] race
    pthread_mutex_unlock(&lock);
#endif
}

static void *download(void *from) {
    int offset = (int)((char *)from - local);
    for (int i = 0; i < PIECES; i++, offset += PIECE) {
        char piece[PIECE];
        fetch(piece, offset, PIECE);
        memcpy(local + offset, piece, PIECE);
        add(PIECE);
    }
    return 0;
}

#ifndef NO_PROGRESS
static void *show(void *shown) {
#ifdef UNLOCKED_PROGRESS
    *(int *)shown = bytes; //~[progress] race
#else
    pthread_mutex_lock(&lock);
    *(int *)shown = bytes;
    pthread_mutex_unlock(&lock);
#endif
    return 0;
}
#endif

int main(void) {
    pthread_t threads[SEGMENTS];
    assert(SIZE < sizeof remote);
    for (int i = 0; i < SEGMENTS; i++) {
        pthread_create(&threads[i], 0, download, local + i * PIECES * PIECE);
    }
#ifdef EARLY
    return 0;
#endif
#ifndef NO_PROGRESS
    pthread_t progress;
    int shown = -1;
    pthread_create(&progress, 0, show, &shown);
    pthread_join(progress, 0);
    dpor_observe("shown", shown);
#endif
    for (int i = 0; i < SEGMENTS; i++) {
        pthread_join(threads[i], 0);
    }
    assert(bytes == SIZE);
    assert(memcmp(local, remote, SIZE) == 0);
    return 0;
}
