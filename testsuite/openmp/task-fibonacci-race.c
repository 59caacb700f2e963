// expect: race
// Fibonacci numbers by tasks without taskwait.
static int results[8];

static int fibonacci(int n)
{
    if (n < 2)
        return results[n] = n;
#pragma omp task
    results[n - 1] = fibonacci(n - 1);
    return results[n - 1] + 1;
}

int main(void)
{
    int result = 0;
#pragma omp parallel
#pragma omp single
    result = fibonacci(3);
    return 0;
}
