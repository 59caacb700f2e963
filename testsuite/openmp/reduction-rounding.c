// expect: assert
// A sum of doubles depends on the order in which threads add theirs.
#include <assert.h>
#include <omp.h>

int main(void)
{
    double sum = 1;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += omp_get_thread_num() == 0 ? 1e16 : -1e16;
    assert(sum == 1);
    return 0;
}
