// Loops that differ from turn to turn only in what a function writes to a local variable of theirs: no turn is in vain,
// and the loop ends by itself. By hand: the flag is set before the first of three looks, between two, or after all: 4.
// [kept] The address is known to another function, by a global variable. [deep] It goes through two functions, as a part
// of a variable. [copied] The function fills it with a copy.
//@ expect: verified
//@ executions: 4
//@ revisions: lent kept deep copied
//@[lent] cflags: -DBEGIN= -DTICK=tick(&tries.n)
//@[kept] cflags: -DBEGIN=keep(&tries) -DTICK=advance()
//@[deep] cflags: -DBEGIN= -DTICK=tick_deeper(&tries)
//@[copied] cflags: -DBEGIN= -DTICK=copy(&tries)
//@ opt: O0 O2
//@ args: --reductions=none
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define APART __attribute__((noinline))

struct tries {
    long unused[3];
    char n;
};

static atomic_int flag;
static struct tries *kept;

APART static void tick(char *n) {
    ++*n;
    usleep(1);
}

APART static void tick_deeper(struct tries *tries) { tick(&tries->n); }

APART static void keep(struct tries *tries) { kept = tries; }

APART static void advance(void) { ++kept->n; }

APART static void copy(struct tries *tries) {
    struct tries next = {{0, 0, 0}, (char)(tries->n + 1)};
    memcpy(tries, &next, sizeof next);
    usleep(1);
}

static void *writer(void *unused) {
    atomic_store(&flag, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct tries tries = {{0, 0, 0}, 0};
    pthread_create(&thread, NULL, writer, NULL);
    BEGIN;
    while (!atomic_load(&flag) && tries.n < 2) TICK;
    pthread_join(thread, NULL);
}
