// expect: none
// A counter in a critical region.
#include <assert.h>
#include <omp.h>

int main(void)
{
    int count = 0;
#pragma omp parallel
    {
#pragma omp critical
        count++;
    }
    assert(count == omp_get_max_threads());
    return 0;
}
