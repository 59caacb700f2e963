// expect: race
// lastprivate is copied out while another thread may read it.
int main(void)
{
    int last = 0, seen = 0;
#pragma omp parallel
    {
#pragma omp for lastprivate(last) nowait
        for (int i = 0; i < 4; i++)
            last = i;
#pragma omp master
        seen = last;
    }
    return 0;
}
