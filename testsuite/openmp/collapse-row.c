// expect: race
// Two loops as one split a row between threads.
int main(void)
{
    int a[2][5] = {{0}};
#pragma omp parallel for collapse(2) schedule(static, 3)
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            a[i][j] = a[i][j + 1];
    return 0;
}
