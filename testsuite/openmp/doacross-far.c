// expect: race
// Each iteration waits for the one before the one it reads.
int main(void)
{
    int a[6] = {1};
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 2; i < 6; i++) {
#pragma omp ordered depend(sink : i - 2)
        a[i] = a[i - 1] + 1;
#pragma omp ordered depend(source)
    }
    return 0;
}
