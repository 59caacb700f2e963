// expect: none
// An inner region of one thread.
#include <assert.h>
#include <omp.h>

int main(void)
{
    int a[8] = {0};
#pragma omp parallel
    {
        int self = omp_get_thread_num();
#pragma omp parallel
        a[self]++;
    }
    assert(a[0] == 1);
    return 0;
}
