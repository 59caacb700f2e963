// expect: none
// Bytes next to each other are two places.
#include <assert.h>

int main(void)
{
    struct bytes { char one, other; } bytes = {0, 0};
#pragma omp parallel sections
    {
#pragma omp section
        bytes.one = 1;
#pragma omp section
        bytes.other = 1;
    }
    assert(bytes.one + bytes.other == 2);
    return 0;
}
