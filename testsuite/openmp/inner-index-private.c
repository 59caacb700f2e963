// expect: none
// The index of the inner loop is private.
#include <assert.h>

int main(void)
{
    int a[4][2] = {{0}}, j;
#pragma omp parallel for private(j)
    for (int i = 0; i < 4; i++)
        for (j = 0; j < 2; j++)
            a[i][j] = i;
    assert(a[3][1] == 3);
    return 0;
}
