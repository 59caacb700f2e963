// expect: race
// One thread writes, and others do not wait.
#include <omp.h>

int main(void)
{
    int a = 0, seen[8];
#pragma omp parallel
    {
#pragma omp single nowait
        a = 3;
        seen[omp_get_thread_num()] = a;
    }
    return seen[0] > 3;
}
