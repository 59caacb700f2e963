// expect: race
// taskgroup does not wait for a task from before it.
int main(void)
{
    int a = 0, b = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(a)
        a = 1;
#pragma omp taskgroup
        {
#pragma omp task
            ;
        }
        b = a;
    }
    return 0;
}
