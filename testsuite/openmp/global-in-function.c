// expect: race
// A function that the region calls changes a global variable.
static int counted;

static void count(void) { counted++; }

int main(void)
{
#pragma omp parallel
    count();
    return 0;
}
