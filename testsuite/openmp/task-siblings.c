// expect: race
// Two tasks write one variable.
int main(void)
{
    int a = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(a)
        a = 1;
#pragma omp task shared(a)
        a = 2;
    }
    return 0;
}
