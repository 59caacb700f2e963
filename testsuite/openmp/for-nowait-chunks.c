// expect: race
// Static loops with chunks of different lengths.
int main(void)
{
    int a[8] = {0}, b[8] = {0};
#pragma omp parallel
    {
#pragma omp for schedule(static, 1) nowait
        for (int i = 0; i < 8; i++)
            a[i] = i;
#pragma omp for schedule(static, 2)
        for (int i = 0; i < 8; i++)
            b[i] = a[i];
    }
    return 0;
}
