// expect: race
// Each iteration reads what the one before it writes.
int main(void)
{
    int a[6] = {1};
#pragma omp parallel for
    for (int i = 1; i < 6; i++)
        a[i] = a[i - 1] + 1;
    return 0;
}
