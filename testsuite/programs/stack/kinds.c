// Memory of a function in other shapes than a variable: an array whose size the program computes, a block of alloca, an
// argument by value, a mutex. A thread uses it while the function returns; or the function waits, twice, with what
// lies in the same place. Without more events than the mutex's: 1 execution, since nobody else locks it.
//@ revisions: array array_waits block block_waits value value_waits mutex mutex_waits
//@ opt: O0 O2
//@ args: -k
//@ executions: 1
//@[array] cflags: -DSHAPE=array
//@[array] expect: bug
//@[array] kind: use-after-return
//@[array_waits] cflags: -DSHAPE=array -DWAITS
//@[array_waits] expect: verified
//@[block] cflags: -DSHAPE=block
//@[block] expect: bug
//@[block] kind: use-after-return
//@[block_waits] cflags: -DSHAPE=block -DWAITS
//@[block_waits] expect: verified
//@[value] cflags: -DSHAPE=value
//@[value] expect: bug
//@[value] kind: use-after-return
//@[value_waits] cflags: -DSHAPE=value -DWAITS
//@[value_waits] expect: verified
//@[mutex] cflags: -DSHAPE=mutex
//@[mutex] expect: bug
//@[mutex] kind: use-after-return
//@[mutex_waits] cflags: -DSHAPE=mutex -DWAITS
//@[mutex_waits] expect: verified
#include <alloca.h>
#include <pthread.h>

struct large {
    int numbers[20];
};

static pthread_t borrower;

static void *borrow(void *memory) {
    return *(int *)memory == 41 ? memory : 0;
}

static void *locks(void *mutex) {
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return 0;
}

static void lend(void *(*body)(void *), void *memory) {
    pthread_create(&borrower, 0, body, memory);
#ifdef WAITS
    pthread_join(borrower, 0);
#endif
}

__attribute__((noinline)) static void array(int count) {
    int numbers[count];
    numbers[0] = 41;
    lend(borrow, numbers);
}

__attribute__((noinline)) static void block(int count) {
    int *numbers = alloca(count * sizeof *numbers);
    numbers[0] = 41;
    lend(borrow, numbers);
}

__attribute__((noinline)) static void large(struct large copy) {
    copy.numbers[0]++;
    lend(borrow, &copy);
}

__attribute__((noinline)) static void value(int count) {
    struct large original = {{count}};
    large(original);
}

__attribute__((noinline)) static void mutex(int count) {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    lend(locks, &lock);
}

int main(int count, char **unused) {
    SHAPE(40);
#ifdef WAITS
    SHAPE(40);
#else
    pthread_join(borrower, 0);
#endif
    return 0;
}
