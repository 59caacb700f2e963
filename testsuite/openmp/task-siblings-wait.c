// expect: none
// taskwait between two tasks.
#include <assert.h>

int main(void)
{
    int a = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(a)
        a = 1;
#pragma omp taskwait
#pragma omp task shared(a)
        a = 2;
    }
    assert(a == 2);
    return 0;
}
