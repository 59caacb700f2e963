// expect: none
// A sum of doubles that are exact.
#include <assert.h>

int main(void)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 4; i++)
        sum += i;
    assert(sum == 6);
    return 0;
}
