// expect: none
// The value of the last iteration is kept.
#include <assert.h>

int main(void)
{
    int last = 0;
#pragma omp parallel for lastprivate(last)
    for (int i = 0; i < 5; i++)
        last = i * i;
    assert(last == 16);
    return 0;
}
