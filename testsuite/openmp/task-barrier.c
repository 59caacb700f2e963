// expect: none
// The barrier of single waits for tasks.
#include <assert.h>

int main(void)
{
    int a = 0;
#pragma omp parallel
    {
#pragma omp single
        {
#pragma omp task shared(a)
            a = 1;
        }
        assert(a == 1);
    }
    return 0;
}
