// expect: race
// Two locks for one counter.
#include <omp.h>

int main(void)
{
    omp_lock_t lock[2];
    int count = 0;
    omp_init_lock(&lock[0]);
    omp_init_lock(&lock[1]);
#pragma omp parallel
    {
        omp_lock_t *mine = &lock[omp_get_thread_num() % 2];
        omp_set_lock(mine);
        count++;
        omp_unset_lock(mine);
    }
    omp_destroy_lock(&lock[0]);
    omp_destroy_lock(&lock[1]);
    return 0;
}
