// expect: race
// A temporary variable is shared.
int main(void)
{
    int a[6] = {0}, t;
#pragma omp parallel for
    for (int i = 0; i < 6; i++) {
        t = i * 2;
        a[i] = t;
    }
    return 0;
}
