// expect: none
// Each task has its copy of the index.
#include <assert.h>

int main(void)
{
    int a[3] = {0};
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 3; i++) {
#pragma omp task firstprivate(i)
        a[i] = i;
    }
    assert(a[2] == 2);
    return 0;
}
