// expect: none
// Each thread captures a ticket of its own.
#include <assert.h>

int main(void)
{
    int next = 0, taken[8] = {0};
#pragma omp parallel
    {
        int mine;
#pragma omp atomic capture
        mine = next++;
        taken[mine] = 1;
    }
    assert(taken[0] && taken[1]);
    return 0;
}
