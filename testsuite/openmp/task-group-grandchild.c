// expect: none
// taskgroup waits for a task of a task.
#include <assert.h>

int main(void)
{
    int a = 0, b = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task shared(a)
            {
#pragma omp task shared(a)
                a = 1;
            }
        }
        b = a;
    }
    assert(b == 1);
    return 0;
}
