// expect: none
// Any thread may have the last iteration.
#include <assert.h>

int main(void)
{
    int last = 0;
#pragma omp parallel for schedule(dynamic) lastprivate(last)
    for (int i = 0; i < 3; i++)
        last = i + 1;
    assert(last == 3);
    return 0;
}
