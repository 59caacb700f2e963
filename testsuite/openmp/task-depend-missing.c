// expect: race
// The second task does not say that it depends on the first.
int main(void)
{
    int a = 0, b = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(a) depend(out : a)
        a = 1;
#pragma omp task shared(a, b) depend(out : b)
        b = a;
    }
    return 0;
}
