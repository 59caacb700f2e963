// expect: none
// A task that depends on another.
#include <assert.h>

int main(void)
{
    int a = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(a) depend(out : a)
        a = 1;
#pragma omp task shared(a) depend(in : a)
        assert(a == 1);
    }
    return 0;
}
