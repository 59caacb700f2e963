// expect: race
// The index of the inner loop is shared.
int main(void)
{
    int a[4][2] = {{0}}, j;
#pragma omp parallel for
    for (int i = 0; i < 4; i++)
        for (j = 0; j < 2; j++)
            a[i][j] = i;
    return 0;
}
