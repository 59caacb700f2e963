// expect: none
// The ordered region of each iteration comes in their order.
#include <assert.h>

int main(void)
{
    int last = -1;
#pragma omp parallel for ordered
    for (int i = 0; i < 4; i++) {
#pragma omp ordered
        {
            assert(last == i - 1);
            last = i;
        }
    }
    return 0;
}
