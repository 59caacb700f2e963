// expect: none
// Two pointers into one array do not overlap.
#include <assert.h>

static void add(int *to, const int *from, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        to[i] = from[i] + 1;
}

int main(void)
{
    int a[8] = {0};
    add(a, a + 4, 4);
    assert(a[3] == 1);
    return 0;
}
