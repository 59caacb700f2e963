// expect: none
// A loop with a 64-bit index that goes down.
#include <assert.h>

int main(void)
{
    long a[5] = {0};
#pragma omp parallel for
    for (long i = 4; i >= 0; i--)
        a[i] = i;
    assert(a[4] == 4);
    return 0;
}
