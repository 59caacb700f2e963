// expect: race
// A sum without reduction.
int main(void)
{
    int sum = 0;
#pragma omp parallel for
    for (int i = 0; i < 4; i++)
        sum += i;
    return 0;
}
