// expect: none
// Only the master writes and reads.
#include <assert.h>

int main(void)
{
    int a = 0;
#pragma omp parallel
    {
#pragma omp master
        a = 3;
#pragma omp master
        a++;
    }
    assert(a == 4);
    return 0;
}
