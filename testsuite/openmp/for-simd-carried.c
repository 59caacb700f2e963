// expect: race
// A loop for threads and lanes with a dependence.
int main(void)
{
    int a[9] = {0};
#pragma omp parallel for simd
    for (int i = 0; i < 8; i++)
        a[i] = a[i + 1];
    return 0;
}
