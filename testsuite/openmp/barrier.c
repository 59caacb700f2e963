// expect: none
// A barrier between writing and reading a neighbour.
#include <assert.h>
#include <omp.h>

int main(void)
{
    int a[8] = {0}, b[8] = {0};
#pragma omp parallel
    {
        int self = omp_get_thread_num(), all = omp_get_num_threads();
        a[self] = self + 1;
#pragma omp barrier
        b[self] = a[(self + 1) % all];
    }
    assert(b[0] == 2);
    return 0;
}
