// expect: race
// Each iteration reads what the one behind it writes.
int main(void)
{
    int a[7] = {0};
#pragma omp parallel for
    for (int i = 0; i < 6; i++)
        a[i] = a[i + 1] + 1;
    return 0;
}
