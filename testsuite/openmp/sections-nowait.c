// expect: race
// A section behind nowait reads what another writes.
int main(void)
{
    int a = 0, b = 0;
#pragma omp parallel
    {
#pragma omp sections nowait
        {
#pragma omp section
            ;
#pragma omp section
            a = 1;
        }
#pragma omp master
        b = a;
    }
    return 0;
}
