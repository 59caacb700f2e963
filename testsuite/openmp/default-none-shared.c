// expect: race
// A variable is shared because the clause says so.
int main(void)
{
    int x = 0;
#pragma omp parallel default(none) shared(x)
    x = x + 1;
    return 0;
}
