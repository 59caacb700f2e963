// expect: none
// Ordered regions of a dynamic loop.
#include <assert.h>

int main(void)
{
    int sum = 0;
#pragma omp parallel for ordered schedule(dynamic)
    for (int i = 0; i < 3; i++) {
#pragma omp ordered
        sum = sum * 2 + i;
    }
    assert(sum == 4);
    return 0;
}
