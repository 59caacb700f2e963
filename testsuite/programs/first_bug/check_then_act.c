// Seats are looked for under a lock, and taken under it, and the lock is let go between: two have the same seat.
//@ expect: bug
//@ kind: assertion
#include <assert.h>
#include <pthread.h>

enum { SEATS = 3, GUESTS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int taken[SEATS];

static int free_seat(void) {
    int found = 0;
    pthread_mutex_lock(&lock);
    while (found < SEATS && taken[found]) found++;
    pthread_mutex_unlock(&lock);
    return found;
}

static void *sit_down(void *unused) {
    int seat = free_seat();
    if (seat == SEATS) return unused;
    pthread_mutex_lock(&lock);
    assert(!taken[seat]);
    taken[seat] = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t guests[GUESTS];
    for (int i = 0; i < GUESTS; i++) pthread_create(&guests[i], 0, sit_down, 0);
    for (int i = 0; i < GUESTS; i++) pthread_join(guests[i], 0);
    return 0;
}
