// A thread stores 1, 2, 3; another waits. For at least 2: its look comes after the 2 or after the 3. For the 2: after the
// 2, or it waits for ever. For a flag: after it was set. Two waits one after the other, first for at least 1 and
// then for 3: the first after 1, 2 or 3. It goes round without end at all: never.
//@ revisions: least flag twice forever volatile
//@ opt: O0 O2
//@[least] expect: verified
//@[least] cflags: -DWAIT=while(atomic_load(&value)<2){}
//@[least] executions: 2
//@[flag] expect: verified
//@[flag] cflags: -DWAIT=while(!atomic_load(&flag)){}
//@[flag] executions: 1
//@[twice] expect: verified
//@[twice] cflags: -DWAIT=while(!atomic_load(&value)){}while(atomic_load(&value)!=3){}
//@[twice] executions: 3
//@[forever] expect: bug
//@[forever] kind: livelock
//@[forever] cflags: -DWAIT=while(atomic_load(&value)!=2){}
//@[forever] args: --keep-going
//@[forever] executions: 1
//@[forever] deadlocked: 1
//@[forever] message: a thread goes round in a loop for ever
//@[volatile] expect: verified
//@[volatile] cflags: -DWAIT=while(!plain){}
//@[volatile] executions: 1
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int value, flag;
static volatile int plain;

static void *store(void *unused) {
    atomic_store(&value, 1);
    atomic_store(&value, 2);
    atomic_store(&value, 3);
    atomic_store(&flag, 1);
    plain = 1;
    return unused;
}

static void *look(void *unused) {
    WAIT
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, store, NULL);
    pthread_create(&b, NULL, look, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
