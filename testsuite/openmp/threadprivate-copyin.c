// expect: none
// copyin gives each copy the value of the first thread.
#include <assert.h>

static int value = 4;
#pragma omp threadprivate(value)

int main(void)
{
    value = 9;
#pragma omp parallel copyin(value)
    assert(value == 9);
    return 0;
}
