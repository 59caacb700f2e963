// expect: race
// The iteration is posted before it writes.
int main(void)
{
    int a[5] = {1};
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 1; i < 5; i++) {
#pragma omp ordered depend(sink : i - 1)
#pragma omp ordered depend(source)
        a[i] = a[i - 1] + 1;
    }
    return 0;
}
