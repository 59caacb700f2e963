// expect: race
// Two iterations of different threads write one variable.
int main(void)
{
    int a[6] = {0}, found = -1;
#pragma omp parallel for
    for (int i = 0; i < 6; i++) {
        if (i == 0 || i == 5)
            found = i;
        a[i] = i;
    }
    return 0;
}
