// expect: none
// Tasks that exclude each other.
#include <assert.h>

int main(void)
{
    int a = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(a) depend(mutexinoutset : a)
        a += 1;
#pragma omp task shared(a) depend(mutexinoutset : a)
        a += 2;
#pragma omp task shared(a) depend(in : a)
        assert(a == 3);
    }
    return 0;
}
