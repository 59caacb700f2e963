// expect: none
// A loop ends with a barrier.
#include <assert.h>

int main(void)
{
    int a[6] = {0}, b[6] = {0};
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < 6; i++)
            a[i] = i;
#pragma omp for
        for (int i = 0; i < 6; i++)
            b[i] = a[5 - i];
    }
    assert(b[0] == 5);
    return 0;
}
