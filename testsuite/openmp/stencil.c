// expect: race
// A stencil in place.
int main(void)
{
    int a[6] = {1, 2, 3, 4, 5, 6};
#pragma omp parallel for
    for (int i = 1; i < 5; i++)
        a[i] = (a[i - 1] + a[i + 1]) / 2;
    return 0;
}
