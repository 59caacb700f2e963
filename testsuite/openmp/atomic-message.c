// expect: none
// A flag with release and acquire hands data over.
#include <assert.h>

int main(void)
{
    int data = 0, flag = 0, seen = -1;
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        {
            data = 5;
#pragma omp atomic write release
            flag = 1;
        }
#pragma omp section
        {
            int is_set;
#pragma omp atomic read acquire
            is_set = flag;
            if (is_set)
                seen = data;
        }
    }
    assert(seen == -1 || seen == 5);
    return 0;
}
