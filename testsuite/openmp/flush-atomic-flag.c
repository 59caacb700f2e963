// expect: none
// A relaxed flag between flushes hands data over.
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
#pragma omp atomic write
            flag = 1;
        }
#pragma omp section
        {
            int is_set;
#pragma omp atomic read
            is_set = flag;
#pragma omp flush
            if (is_set)
                seen = data;
        }
    }
    assert(seen == -1 || seen == 5);
    return 0;
}
