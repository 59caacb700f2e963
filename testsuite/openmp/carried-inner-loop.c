// expect: none
// The dependence is in the inner loop, which one thread runs.
int main(void)
{
    int a[4][4] = {{0}};
#pragma omp parallel for
    for (int i = 0; i < 4; i++)
        for (int j = 1; j < 4; j++)
            a[i][j] = a[i][j - 1] + 1;
    return 0;
}
