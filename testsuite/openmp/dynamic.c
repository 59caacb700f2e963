// expect: none
// A dynamic loop with an element for each iteration.
#include <assert.h>

int main(void)
{
    int a[3] = {0};
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 3; i++)
        a[i] = i;
    assert(a[2] == 2);
    return 0;
}
