// expect: race
// Two singles without a barrier may be done by two threads.
int main(void)
{
    int a = 0;
#pragma omp parallel
    {
#pragma omp single nowait
        a = 1;
#pragma omp single nowait
        a = 2;
    }
    return 0;
}
