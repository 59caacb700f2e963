// expect: race
// The distance of the dependence is half of the loop.
int main(void)
{
    int a[8] = {0};
#pragma omp parallel for
    for (int i = 0; i < 8; i++)
        a[i] = a[(i + 4) % 8] + 1;
    return 0;
}
