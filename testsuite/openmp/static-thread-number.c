// expect: none
// An element for each thread, indexed by its number.
#include <assert.h>
#include <omp.h>

int main(void)
{
    int sum[8] = {0}, all = 0;
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 6; i++)
        sum[omp_get_thread_num()] += i;
    for (int i = 0; i < 8; i++)
        all += sum[i];
    assert(all == 15);
    return 0;
}
