// expect: race
// Threads share an element of the heap.
#include <stdlib.h>

int main(void)
{
    int *a = malloc(4 * sizeof *a);
#pragma omp parallel for
    for (int i = 0; i < 4; i++)
        a[i / 4] = i;
    free(a);
    return 0;
}
