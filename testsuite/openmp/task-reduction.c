// expect: none
// Tasks reduce in their taskgroup.
#include <assert.h>

int main(void)
{
    int sum = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : sum)
        {
            for (int i = 1; i < 4; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
                sum += i;
            }
        }
    }
    assert(sum == 6);
    return 0;
}
