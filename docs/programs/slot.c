#include "slot.h"
void slot_init(struct slot *slot) {
    pthread_mutex_init(&slot->lock, 0);
    pthread_cond_init(&slot->changed, 0);
    slot->is_full = 0;
}
void slot_put(struct slot *slot, int item) {
    pthread_mutex_lock(&slot->lock);
    while (slot->is_full)
        pthread_cond_wait(&slot->changed, &slot->lock);
    slot->item = item;
    slot->is_full = 1;
    pthread_cond_signal(&slot->changed);
    pthread_mutex_unlock(&slot->lock);
}
int slot_get(struct slot *slot) {
    pthread_mutex_lock(&slot->lock);
    while (!slot->is_full)
        pthread_cond_wait(&slot->changed, &slot->lock);
    int item = slot->item;
    slot->is_full = 0;
    pthread_cond_signal(&slot->changed);
    pthread_mutex_unlock(&slot->lock);
    return item;
}
