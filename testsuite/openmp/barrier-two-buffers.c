// expect: none
// Two buffers need one barrier a round.
#include <assert.h>
#include <omp.h>

int main(void)
{
    int a[2][8] = {{0}}, b[8] = {0};
#pragma omp parallel
    {
        int self = omp_get_thread_num(), all = omp_get_num_threads();
        for (int round = 0; round < 3; round++) {
            a[round % 2][self] = round;
#pragma omp barrier
            b[self] = a[round % 2][(self + 1) % all];
        }
    }
    assert(b[0] == 2);
    return 0;
}
