// expect: race
// master has no barrier.
int main(void)
{
    int a = 0;
#pragma omp parallel
    {
        int seen;
#pragma omp master
        a = 3;
        seen = a;
        (void)seen;
    }
    return 0;
}
