// expect: race
// The result of a task is read without taskwait.
int main(void)
{
    int a = 0, b = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(a)
        a = 1;
        b = a;
    }
    return 0;
}
