// expect: race
// taskloop with nogroup does not wait.
int main(void)
{
    int a[4] = {0}, b = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop nogroup
        for (int i = 0; i < 4; i++)
            a[i] = i;
        b = a[3];
    }
    return 0;
}
