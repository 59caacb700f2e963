// A list under a lock. Who looks for a session keeps the node when the lock is let go, and takes the lock again to count;
// between the two, another may have taken the node out and freed it.
//@ expect: bug
//@ kind: use-after-free
#include <pthread.h>
#include <stdlib.h>

struct session {
    int number, uses;
    struct session *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *first;

static struct session *find(int number) {
    pthread_mutex_lock(&lock);
    struct session *session = first;
    while (session && session->number != number) session = session->next;
    pthread_mutex_unlock(&lock);
    return session;
}

static void *use(void *unused) {
    struct session *session = find(2);
    if (!session) return unused;
    pthread_mutex_lock(&lock);
    session->uses++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *close_it(void *unused) {
    pthread_mutex_lock(&lock);
    struct session **link = &first;
    while (*link && (*link)->number != 2) link = &(*link)->next;
    struct session *session = *link;
    if (session) *link = session->next;
    free(session);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int number = 1; number <= 3; number++) {
        struct session *session = malloc(sizeof *session);
        *session = (struct session){number, 0, first};
        first = session;
    }
    pthread_create(&threads[0], 0, use, 0);
    pthread_create(&threads[1], 0, use, 0);
    pthread_create(&threads[2], 0, close_it, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    while (first) {
        struct session *next = first->next;
        free(first);
        first = next;
    }
    return 0;
}
