// expect: none
// What one thread has is copied to all.
#include <assert.h>

int main(void)
{
#pragma omp parallel
    {
        int mine;
#pragma omp single copyprivate(mine)
        mine = 8;
        assert(mine == 8);
    }
    return 0;
}
