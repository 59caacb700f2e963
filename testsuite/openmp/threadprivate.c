// expect: none
// Each thread counts in its copy.
#include <assert.h>

static int counted;
#pragma omp threadprivate(counted)

int main(void)
{
#pragma omp parallel
    {
        counted++;
        counted++;
    }
    assert(counted == 2);
    return 0;
}
