// expect: race
// The variable is not threadprivate.
#include <omp.h>

static int value;

int main(void)
{
#pragma omp parallel
    value = omp_get_thread_num();
    return 0;
}
