// expect: race
// The value of the last iteration is written to a shared variable by all.
int main(void)
{
    int last = 0;
#pragma omp parallel for
    for (int i = 0; i < 5; i++)
        last = i * i;
    return 0;
}
