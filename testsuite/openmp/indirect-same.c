// expect: race
// Two indices are the same.
int main(void)
{
    int index[6] = {5, 3, 1, 0, 2, 5}, a[6] = {0};
#pragma omp parallel for
    for (int i = 0; i < 6; i++)
        a[index[i]] = i;
    return 0;
}
