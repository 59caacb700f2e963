// expect: none
// taskloop waits for its tasks.
#include <assert.h>

int main(void)
{
    int a[4] = {0};
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop
        for (int i = 0; i < 4; i++)
            a[i] = i;
        assert(a[3] == 3);
    }
    return 0;
}
