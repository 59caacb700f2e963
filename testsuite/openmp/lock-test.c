// expect: none
// Who does not get the lock does not count.
#include <assert.h>
#include <omp.h>

int main(void)
{
    omp_lock_t lock;
    int count = 0;
    omp_init_lock(&lock);
#pragma omp parallel
    {
        if (omp_test_lock(&lock)) {
            count++;
            omp_unset_lock(&lock);
        }
    }
    omp_destroy_lock(&lock);
    assert(count >= 1);
    return 0;
}
