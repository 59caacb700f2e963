// expect: none
// A counter behind a lock.
#include <assert.h>
#include <omp.h>

int main(void)
{
    omp_lock_t lock;
    int count = 0;
    omp_init_lock(&lock);
#pragma omp parallel
    {
        omp_set_lock(&lock);
        count++;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    assert(count == omp_get_max_threads());
    return 0;
}
