// expect: none
// The sum is read behind the barrier of its loop.
#include <assert.h>

int main(void)
{
    int sum = 0, seen = 0;
#pragma omp parallel
    {
#pragma omp for reduction(+ : sum)
        for (int i = 0; i < 4; i++)
            sum += i;
#pragma omp master
        seen = sum;
    }
    assert(seen == 6);
    return 0;
}
