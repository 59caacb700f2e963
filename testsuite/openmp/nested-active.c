// expect: race
// Inner regions that have threads of their own.
#include <omp.h>

int main(void)
{
    int a = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(1)
    {
#pragma omp parallel num_threads(2)
        a++;
    }
    return 0;
}
