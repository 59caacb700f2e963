// expect: none
// Rows depend on each other, and threads have columns.
#include <assert.h>

int main(void)
{
    int a[4][4] = {{0}};
    for (int i = 1; i < 4; i++) {
#pragma omp parallel for
        for (int j = 0; j < 4; j++)
            a[i][j] = a[i - 1][j] + 1;
    }
    assert(a[3][0] == 3);
    return 0;
}
