// expect: none
// A section of an array is reduced.
#include <assert.h>

int main(void)
{
    int a[3] = {0};
#pragma omp parallel for reduction(+ : a[0 : 3])
    for (int i = 0; i < 6; i++)
        a[i % 3] += i;
    assert(a[0] == 3 && a[1] == 5 && a[2] == 7);
    return 0;
}
