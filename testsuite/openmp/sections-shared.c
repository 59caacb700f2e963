// expect: race
// Two sections write one variable.
int main(void)
{
    int a = 0;
#pragma omp parallel sections
    {
#pragma omp section
        a = 1;
#pragma omp section
        a = 2;
    }
    return 0;
}
