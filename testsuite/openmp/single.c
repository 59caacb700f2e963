// expect: none
// One thread writes, and all read behind the barrier.
#include <assert.h>

int main(void)
{
    int a = 0;
#pragma omp parallel
    {
#pragma omp single
        a = 3;
        assert(a == 3);
    }
    return 0;
}
