// Two threads load a library, call it and close it again, each in every order with the other; whoever
// closes last unloads it, and the next execution begins without it.
//@ expect: verified
//@ outcomes: sum=2
#include <dlfcn.h>
#include <dpor.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *work(void *unused) {
    void *library = dlopen("libm.so.6", RTLD_NOW);
    dpor_assert(library != 0);
    double (*cosine)(double) = (double (*)(double))dlsym(library, "cos");
    dpor_assert(cosine != 0);
    pthread_mutex_lock(&mutex);
    sum += (int)cosine(0);
    pthread_mutex_unlock(&mutex);
    dpor_assert(dlclose(library) == 0);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    dpor_observe("sum", sum);
    return 0;
}
