// expect: race
// A counter in critical regions of two names.
int main(void)
{
    int count = 0;
#pragma omp parallel sections
    {
#pragma omp section
        {
#pragma omp critical(one)
            count++;
        }
#pragma omp section
        {
#pragma omp critical(other)
            count++;
        }
    }
    return 0;
}
