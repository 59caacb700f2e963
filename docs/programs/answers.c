#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
enum { IDLE, ASKED, ANSWERED };
static atomic_int slots[2], open;
static unsigned long served;
#ifdef STATED
DPOR_INVARIANT(open_questions, 0 <= open && open <= 2)
#endif
DPOR_PROPOSITION(asks, slots[1] == ASKED)
DPOR_PROPOSITION(knows, slots[1] == ANSWERED)
static void *client(void *slot) {
    atomic_int *mine = slot;
    for (;;) {
        open++;
        *mine = ASKED;
        while (*mine != ANSWERED) {}
    }
    return 0;
}
static int next(int last) {
#ifdef TURNS
    return slots[1 - last] == ASKED ? 1 - last : last;
#else
    (void)last;
    return slots[0] == ASKED ? 0 : 1;
#endif
}
int main(void) {
    pthread_t threads[2];
#ifdef LEFT_OUT
    dpor_unmatched(&served, sizeof served);
#endif
    for (int n = 0; n < 2; n++) pthread_create(&threads[n], 0, client, &slots[n]);
    for (int n = 0;;) {
        n = next(n);
        if (slots[n] != ASKED) continue;
#ifdef FIRST
        open--;
#endif
        slots[n] = ANSWERED;
#ifndef FIRST
        open--;
#endif
        served++;
    }
}
