// expect: race
// A function that the region calls has a static variable.
static int count(void)
{
    static int counted;
    return ++counted;
}

int main(void)
{
#pragma omp parallel
    count();
    return 0;
}
