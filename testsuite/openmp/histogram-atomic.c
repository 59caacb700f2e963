// expect: none
// A histogram by atomic.
#include <assert.h>

int main(void)
{
    int data[4] = {0, 1, 1, 0}, bins[2] = {0};
#pragma omp parallel for
    for (int i = 0; i < 4; i++) {
#pragma omp atomic
        bins[data[i]]++;
    }
    assert(bins[0] == 2 && bins[1] == 2);
    return 0;
}
