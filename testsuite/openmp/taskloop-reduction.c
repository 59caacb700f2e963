// expect: none
// taskloop with a reduction.
#include <assert.h>

int main(void)
{
    int sum = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop reduction(+ : sum)
        for (int i = 0; i < 4; i++)
            sum += i;
    }
    assert(sum == 6);
    return 0;
}
