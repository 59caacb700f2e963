// A producer posts three times, a consumer waits three times: how many posts have happened at each wait
// is between its number and three. Waits and posts conflict, so that a trace is an order of PPP
// and WWW in which no prefix has more waits than posts: the Catalan number 5. What is consumed was
// written before: no race.
//@ expect: verified
//@ executions: 5
//@ opt: O0 O2
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t filled;
static int items[3], sum;

static void *consume(void *unused) {
    for (int i = 0; i < 3; i++) {
        sem_wait(&filled);
        sum += items[i];
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&filled, 0, 0);
    pthread_create(&thread, NULL, consume, NULL);
    for (int i = 0; i < 3; i++) {
        items[i] = i;
        sem_post(&filled);
    }
    pthread_join(thread, NULL);
    sem_destroy(&filled);
    return sum == 3 ? 0 : 1;
}
