// expect: none
// Each section has its variable.
#include <assert.h>

int main(void)
{
    int a = 0, b = 0;
#pragma omp parallel sections
    {
#pragma omp section
        a = 1;
#pragma omp section
        b = 2;
    }
    assert(a + b == 3);
    return 0;
}
