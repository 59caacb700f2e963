// Blocks as they should be used, one way per revision; nothing may be told.
//
// handover: main and a thread use a block in sections of a lock, and main frees it after the join: the
// sections come in 2 orders. counter: two users, each of which gives up its share by a decrement with
// acquire and release; who takes the last one frees the block. The decrements come in 2 orders (their
// results are used). flag: the thread frees what main handed to it with a release store; it has loaded
// the flag before the store, and leaves the block to main, or behind it: 2.
// In the others, threads share nothing: 1 execution.
// realloc: a block that grows and shrinks, in place and elsewhere, keeps its contents. pool: nodes that the
// program takes from a block of its own and reuses. text: strdup, asprintf and getline allocate inside libc.
// limits: calls with a limit that is larger than the block, and that end before. aligned: alignments up to a page. last: the first and last byte of blocks of all sizes up to a page, also
// of those that were freed and given out again. large: blocks that are larger than what is kept back.
// many: more blocks than are kept back. usable: what malloc_usable_size says may be used.
// off: without race detector nothing is kept back.
//@ revisions: handover counter flag realloc pool text limits aligned last large many usable off
//@ expect: verified
//@ opt: O0 O2
//@ executions: 1
//@[handover] cflags: -DWORK=handover
//@[handover] executions: 2
//@[counter] cflags: -DWORK=counter
//@[counter] executions: 2
//@[flag] cflags: -DWORK=flag
//@[flag] executions: 2
//@[realloc] cflags: -DWORK=grow
//@[pool] cflags: -DWORK=pool
//@[text] cflags: -DWORK=text
//@[limits] cflags: -DWORK=limits -fno-builtin
//@[aligned] cflags: -DWORK=aligned
//@[last] cflags: -DWORK=last
//@[large] cflags: -DWORK=large
//@[many] cflags: -DWORK=many
//@[usable] cflags: -DWORK=usable
//@[off] cflags: -DWORK=again
//@[off] args: --races=off
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct block {
    _Atomic int users;
    int value;
    char text[40];
};

struct block *block;
char *volatile bytes;
static _Atomic int ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void check(int holds) {
    if (!holds) abort();
}

// What both threads do; `other`: not main.
__attribute__((unused)) static void handover(int other) {
    pthread_mutex_lock(&lock);
    block->value++;
    pthread_mutex_unlock(&lock);
}

__attribute__((unused)) static void counter(int other) {
    block->text[other] = 'x';
    if (atomic_fetch_sub_explicit(&block->users, 1, memory_order_acq_rel) == 1) {
        check(block->text[!other] == 'x');
        free(block);
        block = 0;
    }
}

__attribute__((unused)) static void flag(int other) {
    if (!other) {
        block->value = 1;
        atomic_store_explicit(&ready, 1, memory_order_release);
    } else if (atomic_load_explicit(&ready, memory_order_acquire)) {
        check(block->value == 1);
        free(block);
        block = 0;
    }
}

__attribute__((unused)) static void grow(int other) {
    if (!other) return;
    size_t size = 1;
    bytes = malloc(size);
    bytes[0] = 1;
    for (; size < 10000; size = size * 3 / 2 + 1) {
        bytes = realloc(bytes, size * 3 / 2 + 1);
        check(bytes[size - 1] == 1);
        bytes[size * 3 / 2] = 1;
    }
    for (; size > 1; size = size * 3 / 4) {
        bytes[size * 3 / 4 - 1] = 2;
        bytes = realloc(bytes, size * 3 / 4);
        check(bytes[size * 3 / 4 - 1] == 2);
    }
    free(bytes);
}

struct node {
    struct node *next;
    int value;
};

__attribute__((unused)) static void pool(int other) {
    if (!other) return;
    struct node *all = malloc(4 * sizeof *all), *unused = 0;
    bytes = (char *)all;
    for (int i = 0; i < 4; i++) {
        all[i].next = unused;
        unused = &all[i];
    }
    for (int i = 0; i < 20; i++) {
        struct node *node = unused;
        unused = node->next;
        node->value = i;
        node->next = unused;
        unused = node;
    }
    free(all);
}

__attribute__((unused)) static void text(int other) {
    if (!other) return;
    char *copy = strdup("twelve bytes"), *print = 0, *line = 0;
    check(strlen(copy) == 12 && copy[12] == 0);
    check(asprintf(&print, "%s and %d", copy, 7) == 18 && print[18] == 0);
    free(copy);
    size_t room = 0;
    FILE *file = fmemopen(print, 18, "r");
    check(getline(&line, &room, file) == 18 && line[17] == '7');
    fclose(file);
    free(line);
    free(print);
}

__attribute__((unused)) static void limits(int other) {
    if (!other) return;
    char *word = malloc(8), *copy = malloc(8);
    strcpy(word, "7 words");
    strcpy(copy, word);
    check(memchr(word, 'w', 100) == word + 2);
    check(memccpy(copy, word, 0, 100) == copy + 8);
    check(strnlen(word, 100) == 7 && strncmp(word, copy, 100) == 0);
    check(snprintf(copy, 100, "%.90s", word) == 7);
    check(strtol(word, 0, 10) == 7 && strcasecmp(word, copy) == 0 && strchr(word, 0) == word + 7);
    copy[0] = 0;
    check(strlen(strncat(copy, word, 100)) == 7);
    FILE *file = fmemopen(word, 7, "r");
    check(fgets(copy, 100, file) == copy && fgets(copy, 100, file) == 0);
    rewind(file);
    check(fread(copy, 1, 100, file) == 7);
    rewind(file);
    check(fscanf(file, "%99s", copy) == 1);
    fclose(file);
    free(word);
    free(copy);
}

__attribute__((unused)) static void aligned(int other) {
    if (!other) return;
    for (size_t alignment = 8; alignment <= 4096; alignment *= 2)
        for (int turn = 0; turn < 3; turn++) {
            bytes = aligned_alloc(alignment, 3 * alignment);
            check((uintptr_t)bytes % alignment == 0);
            bytes[0] = bytes[3 * alignment - 1] = 1;
            memset(bytes, 0, 3 * alignment);
            void *again;
            check(posix_memalign(&again, alignment, alignment + 1) == 0);
            free(bytes);
            ((char *)again)[alignment] = 1;
            free(again);
        }
}

__attribute__((unused)) static void last(int other) {
    if (!other) return;
    for (int turn = 0; turn < 2; turn++)
        for (size_t size = 1; size <= 4096; size += size < 128 ? 1 : 61) {
            bytes = malloc(size);
            bytes[0] = 1;
            bytes[size - 1] = 2;
            memset(bytes, 3, size);
            check(bytes[size - 1] == 3);
            free(bytes);
        }
}

__attribute__((unused)) static void large(int other) {
    if (!other) return;
    for (int turn = 0; turn < 10; turn++) {
        bytes = malloc(1 << 20);
        bytes[0] = bytes[(1 << 20) - 1] = 1;
        free(bytes);
    }
}

__attribute__((unused)) static void many(int other) {
    if (!other) return;
    for (int turn = 0; turn < 5000; turn++) {
        bytes = malloc(100 + turn % 7 * 16);
        bytes[turn % 100] = 1;
        free(bytes);
    }
}

__attribute__((unused)) static void usable(int other) {
    if (!other) return;
    bytes = malloc(13);
    memset(bytes, 1, malloc_usable_size(bytes));
    free(bytes);
}

__attribute__((unused)) static void again(int other) {
    if (!other) return;
    bytes = malloc(13);
    free(bytes);
    char *volatile other_bytes = malloc(13);
    check(other_bytes == bytes);
    free(other_bytes);
}

static void *work(void *unused) {
    WORK(1);
    return unused;
}

int main(void) {
    block = calloc(1, sizeof *block);
    block->users = 2;
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    WORK(0);
    pthread_join(thread, 0);
    free(block);
    return 0;
}
