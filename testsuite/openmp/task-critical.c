// expect: none
// Tasks that exclude each other by critical.
#include <assert.h>

int main(void)
{
    int a = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(a)
        {
#pragma omp critical
            a += 1;
        }
#pragma omp task shared(a)
        {
#pragma omp critical
            a += 2;
        }
    }
    assert(a == 3);
    return 0;
}
