// expect: race
// A matrix times a vector, with columns for threads.
int main(void)
{
    int m[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, v[3] = {1, 1, 1}, r[3] = {0};
#pragma omp parallel for
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            r[i] += m[i][j] * v[j];
    return 0;
}
