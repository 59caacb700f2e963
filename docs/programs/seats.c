#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seats, sold;
static void *sell(void *unused) {
    for (int more = 1; more;) {
        pthread_mutex_lock(&lock);
        more = sold < seats;
        if (more) sold++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
int main(void) {
    FILE *file = fopen("seats.txt", "r");
    assert(file && fscanf(file, "%d", &seats) == 1);
    fclose(file);
    pthread_t one, other;
    pthread_create(&one, 0, sell, 0);
    pthread_create(&other, 0, sell, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(sold == seats);
}
