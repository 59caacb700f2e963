// expect: none
// What is done before and behind the region is ordered.
#include <assert.h>

int main(void)
{
    int x = 1, y = 0;
#pragma omp parallel
    {
#pragma omp single
        y = x + 1;
    }
    x = y;
    assert(x == 2);
    return 0;
}
