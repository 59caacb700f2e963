#include "slot.h"
#include <dpor/scenario.h>
static void *make(void) {
    struct slot *slot = malloc(sizeof *slot);
    slot_init(slot);
    return slot;
}
static void drop(void *object) {
    struct slot *slot = object;
    pthread_cond_destroy(&slot->changed);
    pthread_mutex_destroy(&slot->lock);
    free(slot);
}
static long put(void *object, long item) { slot_put(object, (int)item); return 0; }
static long get(void *object, long none) { (void)none; return slot_get(object); }
static int is_full(void *object, long item) { (void)item; return ((struct slot *)object)->is_full; }
static int is_empty(void *object, long none) { (void)none; return !((struct slot *)object)->is_full; }
DPOR_SCENARIO(slot, make, drop,
    DPOR_OPERATION("put", put, DPOR_VALUES(1, 2), DPOR_WAITS(is_full)),
    DPOR_OPERATION("get", get, DPOR_WAITS(is_empty)))
