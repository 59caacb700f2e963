// expect: race
// One thread writes, and others do not wait.
int main(void)
{
    int a = 0;
#pragma omp parallel
    {
        int seen;
#pragma omp single nowait
        a = 3;
        seen = a;
        (void)seen;
    }
    return 0;
}
