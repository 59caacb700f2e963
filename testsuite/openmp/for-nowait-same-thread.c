// expect: none
// Two static loops of one length give each thread the same iterations.
#include <assert.h>

int main(void)
{
    int a[6] = {0}, b[6] = {0};
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < 6; i++)
            a[i] = i;
#pragma omp for schedule(static)
        for (int i = 0; i < 6; i++)
            b[i] = a[i];
    }
    assert(b[5] == 5);
    return 0;
}
