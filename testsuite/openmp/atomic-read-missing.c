// expect: race
// A value is written by atomic and read without.
int main(void)
{
    int value = 0, seen = 0;
#pragma omp parallel sections
    {
#pragma omp section
        {
#pragma omp atomic write
            value = 1;
        }
#pragma omp section
        seen = value;
    }
    return 0;
}
