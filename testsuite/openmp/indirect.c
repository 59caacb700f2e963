// expect: none
// Indices that are all different.
#include <assert.h>

int main(void)
{
    int index[6] = {5, 3, 1, 0, 2, 4}, a[6] = {0};
#pragma omp parallel for
    for (int i = 0; i < 6; i++)
        a[index[i]] = i;
    assert(a[5] == 0);
    return 0;
}
