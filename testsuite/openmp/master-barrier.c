// expect: none
// master, and a barrier.
#include <assert.h>

int main(void)
{
    int a = 0;
#pragma omp parallel
    {
#pragma omp master
        a = 3;
#pragma omp barrier
        assert(a == 3);
    }
    return 0;
}
