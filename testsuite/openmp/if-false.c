// expect: none
// A region with if(0) has one thread.
#include <assert.h>

int main(void)
{
    int a = 0;
#pragma omp parallel if (0)
    a++;
    assert(a == 1);
    return 0;
}
