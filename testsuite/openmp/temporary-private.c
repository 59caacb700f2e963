// expect: none
// A temporary variable is private.
#include <assert.h>

int main(void)
{
    int a[6] = {0}, t;
#pragma omp parallel for private(t)
    for (int i = 0; i < 6; i++) {
        t = i * 2;
        a[i] = t;
    }
    assert(a[5] == 10);
    return 0;
}
