// expect: none
// Tasks of a final task run at once.
#include <assert.h>
#include <omp.h>

int main(void)
{
    int a = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(a) final(1)
        {
#pragma omp task shared(a)
            a = 1;
            assert(a == 1 && omp_in_final());
        }
    }
    return 0;
}
