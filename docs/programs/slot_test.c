#include "slot.h"
#include <assert.h>
#ifndef USERS
#define USERS 1
#endif
static struct slot slot;
static void *put(void *unused) {
    slot_put(&slot, 1);
    slot_put(&slot, 2);
    return unused;
}
static void *get(void *got) {
    *(int *)got = slot_get(&slot);
    *(int *)got += slot_get(&slot);
    return 0;
}
int main(void) {
    pthread_t putters[USERS], getters[USERS];
    int got[USERS] = {0}, sum = 0;
    slot_init(&slot);
    for (int i = 0; i < USERS; i++) {
        pthread_create(&putters[i], 0, put, 0);
        pthread_create(&getters[i], 0, get, &got[i]);
    }
    for (int i = 0; i < USERS; i++) {
        pthread_join(putters[i], 0);
        pthread_join(getters[i], 0);
        sum += got[i];
    }
    assert(sum == 3 * USERS);
    pthread_cond_destroy(&slot.changed);
    pthread_mutex_destroy(&slot.lock);
}
