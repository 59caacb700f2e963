// expect: race
// No barrier between writing and reading a neighbour.
#include <omp.h>

int main(void)
{
    int a[8] = {0}, b[8] = {0};
#pragma omp parallel
    {
        int self = omp_get_thread_num(), all = omp_get_num_threads();
        a[self] = self + 1;
        b[self] = a[(self + 1) % all];
    }
    return 0;
}
