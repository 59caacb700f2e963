#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int visits;
int last_visitor;

static void *visit(void *name) {
    visits++;
    last_visitor = name != 0;
    return name;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, visit, "guest");
    visit(0);
    pthread_join(thread, 0);
    dpor_observe("visits", visits);
}
