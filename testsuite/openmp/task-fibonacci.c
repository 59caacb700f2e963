// expect: none
// Fibonacci numbers by tasks.
#include <assert.h>

static int fibonacci(int n)
{
    if (n < 2)
        return n;
    int a, b;
#pragma omp task shared(a)
    a = fibonacci(n - 1);
#pragma omp task shared(b)
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void)
{
    int result = 0;
#pragma omp parallel
#pragma omp single
    result = fibonacci(4);
    assert(result == 3);
    return 0;
}
