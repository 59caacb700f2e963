// expect: none
// Inner regions whose threads have their own elements.
#include <assert.h>
#include <omp.h>

int main(void)
{
    int a[2][2] = {{0}};
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
        a[outer][omp_get_thread_num()] = omp_get_level();
    }
    assert(a[0][0] == 2 && a[1][1] == 2);
    return 0;
}
