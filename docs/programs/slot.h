#include <pthread.h>
struct slot {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int item, is_full;
};
void slot_init(struct slot *slot);
void slot_put(struct slot *slot, int item);
int slot_get(struct slot *slot);
