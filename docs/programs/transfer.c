#include <pthread.h>
struct account {
    pthread_mutex_t lock;
    long money;
};
static struct account first = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account second = {PTHREAD_MUTEX_INITIALIZER, 100};
static void move(struct account *from, struct account *to, long money) {
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->money -= money;
    to->money += money;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}
static void *forth(void *unused) { move(&first, &second, 10); return unused; }
static void *back(void *unused) { move(&second, &first, 20); return unused; }
int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, forth, 0);
    pthread_create(&other, 0, back, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
}
