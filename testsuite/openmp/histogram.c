// expect: race
// A histogram.
int main(void)
{
    int data[6] = {0, 1, 0, 1, 1, 0}, bins[2] = {0};
#pragma omp parallel for
    for (int i = 0; i < 6; i++)
        bins[data[i]]++;
    return 0;
}
