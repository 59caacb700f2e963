// expect: none
// An untied task that waits for one of its own.
#include <assert.h>

int main(void)
{
    int a = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task untied shared(a)
        {
#pragma omp task shared(a)
            a = 1;
#pragma omp taskwait
            a++;
        }
    }
    assert(a == 2);
    return 0;
}
