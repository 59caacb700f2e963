// expect: none
// Each element has its lock.
#include <assert.h>
#include <omp.h>

int main(void)
{
    omp_lock_t lock[2];
    int a[2] = {0};
    for (int i = 0; i < 2; i++)
        omp_init_lock(&lock[i]);
#pragma omp parallel for
    for (int i = 0; i < 4; i++) {
        omp_set_lock(&lock[i % 2]);
        a[i % 2] += i;
        omp_unset_lock(&lock[i % 2]);
    }
    for (int i = 0; i < 2; i++)
        omp_destroy_lock(&lock[i]);
    assert(a[0] == 2 && a[1] == 4);
    return 0;
}
