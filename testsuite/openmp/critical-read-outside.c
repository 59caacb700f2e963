// expect: race
// The counter is read outside of the critical region.
int main(void)
{
    int count = 0, seen = 0;
#pragma omp parallel
    {
#pragma omp critical
        count++;
#pragma omp master
        seen = count;
    }
    return 0;
}
