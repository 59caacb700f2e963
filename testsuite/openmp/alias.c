// expect: race
// Two pointers into one array overlap.
static void add(int *to, const int *from, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        to[i] = from[i] + 1;
}

int main(void)
{
    int a[8] = {0};
    add(a, a + 1, 6);
    return 0;
}
