// expect: none
// A nestable lock is taken twice.
#include <assert.h>
#include <omp.h>

int main(void)
{
    omp_nest_lock_t lock;
    int count = 0;
    omp_init_nest_lock(&lock);
#pragma omp parallel
    {
        omp_set_nest_lock(&lock);
        omp_set_nest_lock(&lock);
        count++;
        omp_unset_nest_lock(&lock);
        omp_unset_nest_lock(&lock);
    }
    omp_destroy_nest_lock(&lock);
    assert(count == omp_get_max_threads());
    return 0;
}
