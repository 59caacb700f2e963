// expect: none
// Tasks in a chain, and readers beside each other.
#include <assert.h>

int main(void)
{
    int a = 0, b = 0, c = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(a) depend(out : a)
        a = 1;
#pragma omp task shared(a, b) depend(in : a) depend(out : b)
        b = a + 1;
#pragma omp task shared(a, c) depend(in : a) depend(out : c)
        c = a + 2;
#pragma omp task shared(a, b, c) depend(in : b, c) depend(inout : a)
        a = b + c;
    }
    assert(a == 5);
    return 0;
}
