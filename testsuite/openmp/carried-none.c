// expect: none
// Each iteration has its element.
int main(void)
{
    int a[6] = {0};
#pragma omp parallel for
    for (int i = 0; i < 6; i++)
        a[i] = i + 1;
    return 0;
}
