// expect: none
// Two loops as one, each element once.
#include <assert.h>

int main(void)
{
    int a[3][3] = {{0}};
#pragma omp parallel for collapse(2)
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a[i][j] = i + j;
    assert(a[2][2] == 4);
    return 0;
}
