// expect: race
// All iterations write the last element.
int main(void)
{
    int a[6] = {0};
#pragma omp parallel for
    for (int i = 0; i < 6; i++)
        a[5] = i;
    return 0;
}
