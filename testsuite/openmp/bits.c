// expect: race
// Bit fields of one word are not two places.
int main(void)
{
    struct flags { unsigned one : 1, other : 1; } flags = {0, 0};
#pragma omp parallel sections
    {
#pragma omp section
        flags.one = 1;
#pragma omp section
        flags.other = 1;
    }
    return 0;
}
