// expect: race
// A dynamic loop whose iterations read their neighbour.
int main(void)
{
    int a[4] = {0};
#pragma omp parallel for schedule(dynamic, 2)
    for (int i = 0; i < 3; i++)
        a[i] = a[i + 1];
    return 0;
}
