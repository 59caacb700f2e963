// An int has too many values to try them all, and what is done with it is more than to compare it with constants: the
// range that it would take is named, and nothing is verified.
// [added] as a product; [indexed] as an index; [both] with another value; [known] in a variable that others may see;
// [volatile] in one that the program looks at again; [shared] by a function that is called through a pointer.
//@ revisions: added indexed both known volatile shared unsigned
//@ expect: unsupported
//@ opt: O0 O2
//@[added] reason: it would take -2147483648 to 2147483647
//@[added] cflags: -DUSE(x)=((x)*3==9)
//@[indexed] reason: it would take -2147483648 to 2147483647
//@[indexed] cflags: -DUSE(x)=table[(x)&3]
//@[both] reason: it would take -2147483648 to 2147483647
//@[both] cflags: -DUSE(x)=((x)<__VERIFIER_nondet_int())
//@[known] reason: it would take -2147483648 to 2147483647
//@[known] cflags: -DUSE(x)=((known=(x))==3)
//@[volatile] reason: it would take -2147483648 to 2147483647
//@[volatile] cflags: -DUSE(x)=((seen=(x))==3)
//@[shared] reason: it would take -2147483648 to 2147483647
//@[shared] cflags: -DUSE(x)=(*called)(x)
//@[unsigned] reason: it would take 0 to 18446744073709551615
//@[unsigned] cflags: -DUSE(x)=((x)<9&&__VERIFIER_nondet_ulong()%2)
#include <pthread.h>

int __VERIFIER_nondet_int(void);
unsigned long __VERIFIER_nondet_ulong(void);

int known, table[4];

static int is_three(int x) { return x == 3; }
int (*called)(int) = is_three;

static void *work(void *unused) {
    volatile int seen = 0;
    (void)seen;
    int x = __VERIFIER_nondet_int();
    if (USE(x)) return 0;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
