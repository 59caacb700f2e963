// expect: none
// A counter by atomic.
#include <assert.h>
#include <omp.h>

int main(void)
{
    int count = 0;
#pragma omp parallel
    {
#pragma omp atomic
        count++;
    }
    assert(count == omp_get_max_threads());
    return 0;
}
