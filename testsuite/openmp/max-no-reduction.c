// expect: race
// The largest value, looked for in one variable.
int main(void)
{
    int a[6] = {3, 1, 4, 1, 5, 2}, most = 0;
#pragma omp parallel for
    for (int i = 0; i < 6; i++) {
        if (a[i] > most)
            most = a[i];
    }
    return 0;
}
