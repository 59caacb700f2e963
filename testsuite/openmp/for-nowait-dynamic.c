// expect: race
// Two dynamic loops do not give each thread the same iterations.
int main(void)
{
    int a[2] = {0}, b[2] = {0};
#pragma omp parallel
    {
#pragma omp for schedule(dynamic) nowait
        for (int i = 0; i < 2; i++)
            a[i] = i;
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 2; i++)
            b[i] = a[i];
    }
    return 0;
}
