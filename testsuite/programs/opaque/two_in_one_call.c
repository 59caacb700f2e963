// Code without instrumentation reads two bytes with two system calls, in one call of the program:
// each is an event by itself, so the other thread's read may come between them.
// Its byte is the first, the second or the third: 3 executions.
//@ expect: verified
//@ executions: 3
//@ stdin: xyz
//@ outcomes: main=120 *1 | main=121 *1 | main=122 *1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>

__attribute__((noinline, disable_sanitizer_instrumentation))
static void read_bytes(char *to, int count) {
    for (; count > 0; count--, to++) {
        long result;
        __asm__ volatile("syscall" : "=a"(result) : "a"(0L), "D"(0L), "S"(to), "d"(1L) : "rcx", "r11", "memory");
    }
}

char got[3];

static void *reader(void *unused) {
    read_bytes(&got[1], 2);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    read_bytes(&got[0], 1);
    pthread_join(thread, 0);
    dpor_assert(got[0] + got[1] + got[2] == 'x' + 'y' + 'z' && got[1] < got[2]);
    dpor_observe("main", got[0]);
    return 0;
}
