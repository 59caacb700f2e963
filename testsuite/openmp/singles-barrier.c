// expect: none
// Two singles with a barrier.
#include <assert.h>

int main(void)
{
    int a = 0;
#pragma omp parallel
    {
#pragma omp single
        a = 1;
#pragma omp single nowait
        a = 2;
    }
    assert(a == 2);
    return 0;
}
