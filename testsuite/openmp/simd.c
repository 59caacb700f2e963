// expect: none
// A dependence between lanes is none between threads.
#include <assert.h>

int main(void)
{
    int a[8] = {0};
#pragma omp simd safelen(2)
    for (int i = 2; i < 8; i++)
        a[i] = a[i - 2] + 1;
    assert(a[6] == 3);
    return 0;
}
