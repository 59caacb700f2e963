// expect: assert
// Tasks do not come in the order in which they were made.
#include <assert.h>

int main(void)
{
    int last = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(last)
        {
#pragma omp atomic write
            last = 1;
        }
#pragma omp task shared(last)
        {
#pragma omp atomic write
            last = 2;
        }
    }
    assert(last == 2);
    return 0;
}
