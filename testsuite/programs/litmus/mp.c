// Message passing: data, then flag; the reader takes flag, then data.
// Two conflicting pairs, 4 orders; "flag seen, data not" is a cycle. 3 remain.
//@ expect: verified
//@ executions: 3
//@ outcomes: flag=0 data=0 *1 | flag=0 data=1 *1 | flag=1 data=1 *1
//@ dfs: same-outcomes
//@ smoke: yes
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int data, flag;
int seen_flag, seen_data;

static void *writer(void *unused) {
    atomic_store(&data, 1);
    atomic_store(&flag, 1);
    return unused;
}

static void *reader(void *unused) {
    seen_flag = atomic_load(&flag);
    seen_data = atomic_load(&data);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    dpor_observe("flag", seen_flag);
    dpor_observe("data", seen_data);
    return 0;
}
