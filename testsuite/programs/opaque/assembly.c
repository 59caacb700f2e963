// A system call that assembly makes itself, on a descriptor that two threads share: an event that
// conflicts with everything, so the two reads in both orders. In revision `unseen` the instruction
// is inside a function that is not instrumented. 2 executions.
//@ revisions: assembly unseen
//@[unseen] cflags: -DUNSEEN
//@ opt: O0 O2
//@ expect: verified
//@ executions: 2
//@ stdin: xy
//@ outcomes: main=120 thread=121 *1 | main=121 thread=120 *1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>

#ifdef UNSEEN
__attribute__((noinline, disable_sanitizer_instrumentation))
static long read_byte(char *to) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(0L), "D"(0L), "S"(to), "d"(1L) : "rcx", "r11", "memory");
    return result;
}
#else
long read_byte(char *to);
__asm__(".text\n"
        "read_byte:\n"
        "  mov %rdi, %rsi\n"
        "  xor %edi, %edi\n"
        "  mov $1, %edx\n"
        "  xor %eax, %eax\n"
        "  syscall\n"
        "  ret\n");
#endif

char got[2];

static void *reader(void *unused) {
    dpor_assert(read_byte(&got[1]) == 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    dpor_assert(read_byte(&got[0]) == 1);
    pthread_join(thread, 0);
    dpor_observe("main", got[0]);
    dpor_observe("thread", got[1]);
    return 0;
}
