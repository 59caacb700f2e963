// expect: race
// depend orders siblings, and these have different parents.
int main(void)
{
    int a = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(a)
        {
#pragma omp task shared(a) depend(inout : a)
            a += 1;
        }
#pragma omp task shared(a)
        {
#pragma omp task shared(a) depend(inout : a)
            a += 2;
        }
    }
    return 0;
}
