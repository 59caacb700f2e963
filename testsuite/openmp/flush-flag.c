// expect: race
// A plain flag with flush: the accesses of the flag are not atomic.
#include <assert.h>

int main(void)
{
    int data = 0, flag = 0, seen = -1;
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        {
            data = 5;
#pragma omp flush
            flag = 1;
#pragma omp flush
        }
#pragma omp section
        {
#pragma omp flush
            if (flag)
                seen = data;
        }
    }
    assert(seen == -1 || seen == 5);
    return 0;
}
