// Two threads allocate, fill and free blocks of their own: allocation is no event. One trace, and
// each gets the same addresses in every execution, whatever the other does.
//@ expect: verified
//@ executions: 1
#include <dpor.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *work(void *number) {
    for (size_t bytes = 1; bytes < 5000; bytes *= 3) {
        char *block = malloc(bytes);
        memset(block, (int)(long)number, bytes);
        block = realloc(block, bytes * 2);
        dpor_assert(block[bytes - 1] == (char)(long)number);
        char *zeros = calloc(bytes, 2);
        dpor_assert(zeros[bytes] == 0);
        free(zeros);
        free(block);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)1);
    pthread_create(&b, 0, work, (void *)2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
