// expect: none
// A value is written and read by atomic.
#include <assert.h>

int main(void)
{
    int value = 0, seen = 0;
#pragma omp parallel sections
    {
#pragma omp section
        {
#pragma omp atomic write
            value = 1;
        }
#pragma omp section
        {
#pragma omp atomic read
            seen = value;
        }
    }
    assert(seen == 0 || seen == 1);
    return 0;
}
