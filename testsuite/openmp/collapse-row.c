// expect: race
// Two loops as one split a row between threads.
int main(void)
{
    int a[3][3] = {{0}};
#pragma omp parallel for collapse(2)
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++)
            a[i][j] = a[i][j + 1];
    return 0;
}
