// A pointer chase: each thread follows a list of its own, round and round, not in the order of addresses, and
// adds to each node. Arguments: millions of steps; nodes of 16 bytes, a power of two.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2, NODES_MAX = 1 << 16 };

struct node {
    struct node *next;
    unsigned long count;
};

static struct node nodes[THREADS][NODES_MAX];
static unsigned long steps;

static void *chase(void *argument) {
    struct node *node = argument;
    for (unsigned long step = 0; step < steps; step++) {
        node->count++;
        node = node->next;
    }
    return NULL;
}

int main(int count, char **arguments) {
    pthread_t threads[THREADS];
    if (count != 3) return 2;
    steps = strtoul(arguments[1], NULL, 10) * 1000000;
    unsigned length = atoi(arguments[2]) % (NODES_MAX + 1);
    for (int t = 0; t < THREADS; t++)
        // An odd factor goes through all numbers below a power of two.
        for (unsigned k = 0; k < length; k++)
            nodes[t][k * 40503u % length].next = &nodes[t][(k + 1) * 40503u % length];
    for (int t = 0; t < THREADS; t++) pthread_create(&threads[t], NULL, chase, nodes[t]);
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    unsigned long sum = 0;
    for (int t = 0; t < THREADS; t++)
        for (unsigned k = 0; k < length; k++) sum += nodes[t][k].count;
    printf("%lu\n", sum);
    return 0;
}
