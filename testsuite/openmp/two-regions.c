// expect: none
// Regions one behind the other.
#include <assert.h>

int main(void)
{
    int a = 0;
    for (int round = 0; round < 2; round++) {
#pragma omp parallel
        {
#pragma omp master
            a++;
        }
    }
    assert(a == 2);
    return 0;
}
