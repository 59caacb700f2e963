// expect: none
// A stencil from one array into another.
#include <assert.h>

int main(void)
{
    int a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {0};
#pragma omp parallel for
    for (int i = 1; i < 5; i++)
        b[i] = (a[i - 1] + a[i + 1]) / 2;
    assert(b[1] == 2);
    return 0;
}
