// expect: race
// A part of the iteration is outside of its ordered region.
int main(void)
{
    int last = -1, copy = 0;
#pragma omp parallel for ordered
    for (int i = 0; i < 4; i++) {
#pragma omp ordered
        last = i;
        copy = last;
    }
    return 0;
}
