// expect: none
// A loop with an unsigned index and a step.
#include <assert.h>

int main(void)
{
    int a[9] = {0};
#pragma omp parallel for schedule(dynamic, 2)
    for (unsigned i = 0; i < 9; i += 3)
        a[i] = 1;
    assert(a[0] + a[3] + a[6] == 3);
    return 0;
}
