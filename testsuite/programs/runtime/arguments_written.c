// The words that the program is started with lie above main's frames, where hardly anybody writes: they are
// taken back like other memory.
// By hand: the threads' two stores to one cell in either order, 2! executions (main's load comes after
// both); each thread, and main after its first event, finds the words as they were.
//@ expect: verified
//@ executions: 2
//@ args: --reductions=none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern char **environ;
static atomic_int cell;
static char *argument, *variable;

static void *store(void *word) {
    assert(*(char *)word != '!');
    *(char *)word = '!';
    atomic_store(&cell, word == argument ? 1 : 2);
    return 0;
}

int main(int count, char **arguments) {
    pthread_t a, b;
    argument = arguments[0];
    variable = environ[0];
    pthread_create(&a, 0, store, argument);
    assert(*variable != '!');
    pthread_create(&b, 0, store, variable);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(*argument == '!' && *variable == '!' && atomic_load(&cell) != 0);
    return 0;
}
