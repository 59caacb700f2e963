// expect: none
// A matrix times a vector.
#include <assert.h>

int main(void)
{
    int m[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, v[3] = {1, 1, 1}, r[3] = {0};
#pragma omp parallel for
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r[i] += m[i][j] * v[j];
    assert(r[2] == 24);
    return 0;
}
