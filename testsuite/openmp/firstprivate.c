// expect: none
// Each thread begins with the value from before.
#include <assert.h>

int main(void)
{
    int base = 7, a[4];
#pragma omp parallel for firstprivate(base)
    for (int i = 0; i < 4; i++) {
        a[i] = base + i;
        base = 7;
    }
    assert(a[3] == 10 && base == 7);
    return 0;
}
