// expect: race
// Two tasks that only say that they read, and write.
int main(void)
{
    int a = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(a) depend(in : a)
        a = 1;
#pragma omp task shared(a) depend(in : a)
        a = 2;
    }
    return 0;
}
