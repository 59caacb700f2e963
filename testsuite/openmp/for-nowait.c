// expect: race
// A loop with nowait, and one that reads what it writes.
int main(void)
{
    int a[6] = {0}, b[6] = {0};
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < 6; i++)
            a[i] = i;
#pragma omp for
        for (int i = 0; i < 6; i++)
            b[i] = a[5 - i];
    }
    return 0;
}
