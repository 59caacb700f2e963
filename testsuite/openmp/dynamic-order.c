// expect: assert
// Iterations of a dynamic loop come in no order.
#include <assert.h>

int main(void)
{
    int order = 0, first = -1;
#pragma omp parallel for schedule(dynamic) num_threads(2)
    for (int i = 0; i < 2; i++) {
        int mine;
#pragma omp atomic capture
        mine = order++;
        if (i == 0)
            first = mine;
    }
    assert(first == 0);
    return 0;
}
