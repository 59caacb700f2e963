// expect: race
// One of two additions is atomic.
int main(void)
{
    int count = 0;
#pragma omp parallel sections
    {
#pragma omp section
        {
#pragma omp atomic
            count++;
        }
#pragma omp section
        count++;
    }
    return 0;
}
