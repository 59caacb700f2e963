// expect: none
// A region of one thread.
#include <assert.h>

int main(void)
{
    int a = 0;
#pragma omp parallel num_threads(1)
    a++;
    assert(a == 1);
    return 0;
}
