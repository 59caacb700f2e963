// expect: none
// Copies last from one region to the next.
#include <assert.h>
#include <omp.h>

static int value = 4;
#pragma omp threadprivate(value)

int main(void)
{
#pragma omp parallel
    value = 10 + omp_get_thread_num();
#pragma omp parallel
    assert(value == 10 + omp_get_thread_num());
    return 0;
}
