// expect: race
// The second barrier of a round is missing.
#include <omp.h>

int main(void)
{
    int a[8] = {0}, b[8] = {0};
#pragma omp parallel
    {
        int self = omp_get_thread_num(), all = omp_get_num_threads();
        for (int round = 0; round < 2; round++) {
            a[self] = round;
#pragma omp barrier
            b[self] = a[(self + 1) % all];
        }
    }
    return 0;
}
