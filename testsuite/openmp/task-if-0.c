// expect: none
// A task with if(0) runs at once.
#include <assert.h>

int main(void)
{
    int a = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(a) if (0)
        a = 1;
        assert(a == 1);
    }
    return 0;
}
