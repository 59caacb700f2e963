// expect: none
// Two counters in critical regions of two names.
#include <assert.h>

int main(void)
{
    int one = 0, other = 0;
#pragma omp parallel
    {
#pragma omp critical(one)
        one++;
#pragma omp critical(other)
        other++;
    }
    assert(one == other);
    return 0;
}
