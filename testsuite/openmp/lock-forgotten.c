// expect: race
// One of two sections forgets the lock.
#include <omp.h>

int main(void)
{
    omp_lock_t lock;
    int count = 0;
    omp_init_lock(&lock);
#pragma omp parallel sections
    {
#pragma omp section
        {
            omp_set_lock(&lock);
            count++;
            omp_unset_lock(&lock);
        }
#pragma omp section
        count++;
    }
    omp_destroy_lock(&lock);
    return 0;
}
