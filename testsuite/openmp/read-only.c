// expect: none
// All threads only read.
#include <assert.h>
#include <omp.h>

int main(void)
{
    int a[4] = {1, 2, 3, 4}, seen[8] = {0};
#pragma omp parallel
    seen[omp_get_thread_num()] = a[0] + a[3];
    assert(seen[0] == 5);
    return 0;
}
