// Addresses differ from level to level, and mean nothing.
//@ options: --races=c11
//@ verdict: same
#include <pthread.h>
#include <stdio.h>
int count;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *unused) {
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, add, 0);
    add(0);
    pthread_join(thread, 0);
    int local = count;
    printf("%p %p %d\n", (void *)&count, (void *)&local, local);
    return 0;
}
