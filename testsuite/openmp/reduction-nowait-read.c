// expect: race
// The sum is read behind nowait, when others may still add theirs.
int main(void)
{
    int sum = 0, seen = 0;
#pragma omp parallel
    {
#pragma omp for reduction(+ : sum) nowait
        for (int i = 0; i < 4; i++)
            sum += i;
#pragma omp master
        seen = sum;
    }
    return 0;
}
