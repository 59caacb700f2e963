#include <dpor.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stock;
static void *deliver(void *unused) {
    pthread_mutex_lock(&lock);
    stock += dpor_choose(3);
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, deliver, 0);
    pthread_mutex_lock(&lock);
    stock += 10 * dpor_choose(2);
    dpor_assume(stock != 10);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    dpor_observe("stock", stock);
}
