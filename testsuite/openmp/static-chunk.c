// expect: race
// Chunks of one iteration put neighbours on different threads.
int main(void)
{
    int a[5] = {0};
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 4; i++)
        a[i] = a[i + 1];
    return 0;
}
