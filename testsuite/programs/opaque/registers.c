// The kernel keeps all registers across a system call but rax, rcx and r11, and the red zone: so they
// are also kept when the call is an event and another thread runs before it. Both threads fill every
// register with numbers of their own, and the 128 bytes below the stack pointer, read a byte, and
// compare. Three calls by each: 6! / (3! 3!) = 20 executions, from checkpoints in the midst of them, too.
//@ opt: O0 O2
//@ expect: verified
//@ executions: 20
//@ stdin: 123456
//@ outcomes-distinct: 20
#include <dpor.h>
#include <pthread.h>

// Reads a byte; 0 if all is as it was. `seed` makes the numbers.
long checked_read(char *to, unsigned long seed);

#define EACH_VECTOR(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) \
    DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)
#define FILL(n) "  lea " #n "(%r12), %rax\n  movq %rax, %xmm" #n "\n"
#define LOOK(n) "  lea " #n "(%r12), %rcx\n  movq %xmm" #n ", %rax\n  cmp %rcx, %rax\n  jne 9f\n"

__asm__(".text\n"
        "checked_read:\n"
        "  push %rbx\n  push %rbp\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
        "  mov %rsi, %r12\n"
        "  mov %rdi, %rsi\n"
        EACH_VECTOR(FILL)
        "  lea 20(%r12), %rbx\n  lea 21(%r12), %rbp\n  lea 22(%r12), %r13\n"
        "  lea 23(%r12), %r14\n  lea 24(%r12), %r15\n"
        "  lea 25(%r12), %r8\n  lea 26(%r12), %r9\n  lea 27(%r12), %r10\n"
        "  mov %r12, -8(%rsp)\n  mov %rbx, -128(%rsp)\n"
        "  fldl2t\n"
        "  xor %edi, %edi\n  mov $1, %edx\n  xor %eax, %eax\n"
        "  stc\n"
        "  syscall\n"
        "  jnc 9f\n"
        "  cmp $1, %rax\n  jne 9f\n"
        "  cmp $1, %rdx\n  jne 9f\n"
        "  test %rdi, %rdi\n  jne 9f\n"
        "  cmp %r12, -8(%rsp)\n  jne 9f\n  cmp %rbx, -128(%rsp)\n  jne 9f\n"
        "  lea 20(%r12), %rax\n  cmp %rax, %rbx\n  jne 9f\n"
        "  lea 21(%r12), %rax\n  cmp %rax, %rbp\n  jne 9f\n"
        "  lea 22(%r12), %rax\n  cmp %rax, %r13\n  jne 9f\n"
        "  lea 23(%r12), %rax\n  cmp %rax, %r14\n  jne 9f\n"
        "  lea 24(%r12), %rax\n  cmp %rax, %r15\n  jne 9f\n"
        "  lea 25(%r12), %rax\n  cmp %rax, %r8\n  jne 9f\n"
        "  lea 26(%r12), %rax\n  cmp %rax, %r9\n  jne 9f\n"
        "  lea 27(%r12), %rax\n  cmp %rax, %r10\n  jne 9f\n"
        EACH_VECTOR(LOOK)
        "  fldl2t\n  fcomip %st(1), %st\n  jne 9f\n  fstp %st(0)\n"
        "  xor %eax, %eax\n"
        "  jmp 8f\n"
        "9:\n"
        "  mov $1, %eax\n"
        "8:\n"
        "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbp\n  pop %rbx\n"
        "  ret\n");

static char got[6];

static void *reader(void *numbers) {
    for (int i = 0; i < 3; i++) dpor_assert(checked_read(&got[3 + i], (unsigned long)numbers) == 0);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reader, (void *)0x1234567800000000);
    for (int i = 0; i < 3; i++) dpor_assert(checked_read(&got[i], 0x8765432100000000) == 0);
    pthread_join(thread, 0);
    for (int i = 0; i < 3; i++) dpor_observe(i == 0 ? "first" : i == 1 ? "second" : "third", got[i]);
    return 0;
}
