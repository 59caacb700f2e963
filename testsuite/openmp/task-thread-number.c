// expect: none
// An element for each thread, indexed by the number of the thread that runs the task.
#include <assert.h>
#include <omp.h>

int main(void)
{
    int sum[8] = {0}, all = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 1; i < 3; i++) {
#pragma omp task firstprivate(i) shared(sum)
        sum[omp_get_thread_num()] += i;
    }
    for (int i = 0; i < 8; i++)
        all += sum[i];
    assert(all == 3);
    return 0;
}
