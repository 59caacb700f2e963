// expect: none
// A loop for threads and lanes.
#include <assert.h>

int main(void)
{
    int a[8] = {0};
#pragma omp parallel for simd
    for (int i = 0; i < 8; i++)
        a[i] = i;
    assert(a[7] == 7);
    return 0;
}
