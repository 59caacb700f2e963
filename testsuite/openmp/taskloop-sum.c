// expect: race
// Tasks of a taskloop share a sum.
int main(void)
{
    int sum = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop num_tasks(2) shared(sum)
        for (int i = 0; i < 4; i++)
            sum += i;
    }
    return 0;
}
