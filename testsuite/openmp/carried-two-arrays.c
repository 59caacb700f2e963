// expect: none
// What is read and what is written are two arrays.
int main(void)
{
    int a[7] = {0}, b[7] = {0};
#pragma omp parallel for
    for (int i = 0; i < 6; i++)
        a[i] = b[i + 1] + 1;
    return 0;
}
