// A parallel file scanner: main queues the files it is to search, workers take them and count a letter.
// Source: Yang, Chen, Gopalakrishnan and Kirby describe what they found in pfscan 1.0, such a scanner: a condition
// variable that is used without initialization, two mutexes that are not destroyed, a main that does not wait for its
// threads, and a race. Written anew, with these.
//
// Executions of `correct`, one worker and two files: the sections of the queue's mutex in all orders (the worker
// alone takes the other). Main has three (two
// files, the end). f(m, k): main has done m of them, k files are taken, the worker wants the mutex. Main goes on; or the
// worker takes a file (k < m), or waits (k = m), and main's next section wakes it. After main's last there is one way.
// f(2,2) = 1 + 1, f(2,1) = 1 + f(2,2) = 3, f(2,0) = 1 + f(2,1) = 4, f(1,1) = 2 f(2,1) = 6, f(1,0) = f(2,0) + f(1,1) = 10,
// f(0,0) = 2 f(1,0) = 20. `left` and `zeros` change none of that.
// `two`, two workers: the same with one of two waiting workers woken by a signal, times the 2 orders in which they add up
// what they found; `tests/suite/applications.rs` counts 2,352.
// - early: main returns when it has queued all, and destroys nothing.
// - condvar: the condition variable is never initialized, and its memory held text. zeros: held zeros, which are a
//   condition variable in glibc.
// - left: the two mutexes are never destroyed. races: matches are counted without the lock.
//@ revisions: correct two early condvar zeros left races
//@ opt: O0 O2
//@ expect: verified
//@[correct] executions: 20
//@[two] cflags: -DWORKERS=2
//@[two] executions: 2,352
//@[two] outcomes: matches=5
//@[early] cflags: -DEARLY
//@[early] kind: main-exits-early not-destroyed
//@[condvar] cflags: -DNO_INIT -DHELD='f'
//@[condvar] expect: bug
//@[condvar] kind: uninitialized-object
//@[condvar] message: a condition variable is used before it was initialized
//@[zeros] cflags: -DNO_INIT
//@[zeros] executions: 20
//@[left] cflags: -DLEFT
//@[left] kind: not-destroyed
//@[left] message: a mutex is never destroyed
//@[left] executions: 20
//@[races] cflags: -DWORKERS=2 -DRACES
//@[races] expect: bug
//@[races] kind: data-race
#include <assert.h>
#include <dpor.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#ifndef WORKERS
#define WORKERS 1
#endif
#ifndef HELD
#define HELD 0
#endif

enum { FILES = 2 };

static const char *names[FILES] = {"/tmp/dpor_apps_one", "/tmp/dpor_apps_two"};
static const char *texts[FILES] = {"a fine day", "banana"};
static pthread_mutex_t lock, matches_lock;
static pthread_cond_t changed;
static int queue[FILES], queued, taken, closed, matches;

// A descriptor of the next file, -1 after the last.
static int take(void) {
    int file = -1;
    pthread_mutex_lock(&lock);
    while (taken == queued && !closed) {
        pthread_cond_wait(&changed, &lock);
    }
    if (taken < queued) {
        file = queue[taken++];
    }
    pthread_mutex_unlock(&lock);
    return file;
}

static int count(int file) {
    char text[16];
    int found = 0;
    ssize_t length = read(file, text, sizeof text);
    for (ssize_t i = 0; i < length; i++) {
        found += text[i] == 'a';
    }
    return found;
}

static void *scan(void *unused) {
    int file, found = 0;
    while ((file = take()) != -1) {
        found += count(file);
    }
#ifdef RACES
    matches += found; //~[races] race
#else
    pthread_mutex_lock(&matches_lock);
    matches += found;
    pthread_mutex_unlock(&matches_lock);
#endif
    return unused;
}

static void put(int file) {
    pthread_mutex_lock(&lock);
    queue[queued++] = file;
    pthread_cond_signal(&changed); //~[condvar] uninitialized-object
    pthread_mutex_unlock(&lock);
}

static void close_queue(void) {
    pthread_mutex_lock(&lock);
    closed = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static int write_file(int i) {
    int file = open(names[i], O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert(file != -1);
    assert(write(file, texts[i], strlen(texts[i])) == (ssize_t)strlen(texts[i]));
    assert(lseek(file, 0, SEEK_SET) == 0);
    return file;
}

static void end(const int *files) {
    for (int i = 0; i < FILES; i++) {
        close(files[i]);
        unlink(names[i]);
    }
#ifndef NO_INIT
    pthread_cond_destroy(&changed);
#endif
#ifndef LEFT
    pthread_mutex_destroy(&lock);
    pthread_mutex_destroy(&matches_lock);
#endif
}

int main(void) {
    pthread_t workers[WORKERS];
    int files[FILES];
    pthread_mutex_init(&lock, 0); //~[left] not-destroyed
    pthread_mutex_init(&matches_lock, 0); //~[left] not-destroyed
    memset(&changed, HELD, sizeof changed);
#ifndef NO_INIT
    pthread_cond_init(&changed, 0);
#endif
    for (int i = 0; i < FILES; i++) {
        files[i] = write_file(i);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_create(&workers[i], 0, scan, 0);
    }
    for (int i = 0; i < FILES; i++) {
        put(files[i]);
    }
    close_queue();
#ifdef EARLY
    return 0;
#endif
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(workers[i], 0);
    }
    dpor_observe("matches", matches);
    assert(matches == 5);
    end(files);
    return 0;
}
