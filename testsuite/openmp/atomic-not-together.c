// expect: assert
// Reading and writing are atomic, each by itself.
#include <assert.h>

int main(void)
{
    int count = 0;
#pragma omp parallel num_threads(2)
    {
        int seen;
#pragma omp atomic read
        seen = count;
#pragma omp atomic write
        count = seen + 1;
    }
    assert(count == 2);
    return 0;
}
