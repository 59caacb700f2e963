// expect: race
// taskwait does not wait for a task of a task.
int main(void)
{
    int a = 0, b = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(a)
        {
#pragma omp task shared(a)
            a = 1;
        }
#pragma omp taskwait
        b = a;
    }
    return 0;
}
