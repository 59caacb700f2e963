// expect: race
// One thread writes the variable while others may reduce into it.
int main(void)
{
    int sum = 5;
#pragma omp parallel shared(sum)
    {
#pragma omp master
        sum = 0;
#pragma omp for reduction(+ : sum)
        for (int i = 0; i < 4; i++)
            sum += i;
    }
    return 0;
}
