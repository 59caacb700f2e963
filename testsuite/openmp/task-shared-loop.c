// expect: race
// Tasks of a loop share its sum.
int main(void)
{
    int sum = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 2; i++) {
#pragma omp task shared(sum) firstprivate(i)
        sum += i;
    }
    return 0;
}
