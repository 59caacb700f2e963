// expect: none
// A task, and taskwait before its result is read.
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
        assert(a == 1);
    }
    return 0;
}
