// expect: none
// Copies begin with the initial value, not with the one that the initial thread has.
#include <assert.h>
#include <omp.h>

static int value = 4;
#pragma omp threadprivate(value)

int main(void)
{
    value = 9;
#pragma omp parallel
    {
        if (omp_get_thread_num() != 0)
            assert(value == 4);
    }
    return 0;
}
