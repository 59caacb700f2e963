// expect: race
// A thread hands out the address of its copy.
#include <omp.h>

static int value;
#pragma omp threadprivate(value)

int main(void)
{
    int *shared_copy = &value;
#pragma omp parallel
    {
        if (omp_get_thread_num() == 0)
            value = 1;
        else
            *shared_copy = 2;
    }
    return 0;
}
