// expect: none
// A guided loop with an element for each iteration.
#include <assert.h>

int main(void)
{
    int a[6] = {0};
#pragma omp parallel for schedule(guided)
    for (int i = 0; i < 6; i++)
        a[i] = i;
    assert(a[5] == 5);
    return 0;
}
