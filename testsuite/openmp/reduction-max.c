// expect: none
// The largest value.
#include <assert.h>

int main(void)
{
    int a[6] = {3, 1, 4, 1, 5, 2}, most = 0;
#pragma omp parallel for reduction(max : most)
    for (int i = 0; i < 6; i++)
        most = a[i] > most ? a[i] : most;
    assert(most == 5);
    return 0;
}
