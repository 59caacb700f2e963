// expect: none
// A function that the region calls has a variable of its own.
#include <assert.h>

static int count(int n)
{
    int counted = 0;
    for (int i = 0; i < n; i++)
        counted++;
    return counted;
}

int main(void)
{
#pragma omp parallel
    assert(count(3) == 3);
    return 0;
}
