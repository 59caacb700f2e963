// expect: use-after-return
// A task writes a variable of a function that may have returned.
static void begin(void)
{
    int local = 0;
#pragma omp task shared(local)
    local = 1;
    local = 2;
}

static void other(void)
{
    volatile int place = 0;
    place = 3;
}

int main(void)
{
#pragma omp parallel
#pragma omp single
    {
        begin();
        other();
    }
    return 0;
}
