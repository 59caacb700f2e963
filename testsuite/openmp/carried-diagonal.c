// expect: race
// Each element reads its neighbour on the diagonal.
int main(void)
{
    int a[4][4] = {{0}};
#pragma omp parallel for
    for (int i = 1; i < 4; i++)
        for (int j = 1; j < 4; j++)
            a[i][j] = a[i - 1][j - 1] + 1;
    return 0;
}
