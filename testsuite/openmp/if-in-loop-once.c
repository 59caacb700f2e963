// expect: none
// Only one iteration writes the variable, and none reads it.
#include <assert.h>

int main(void)
{
    int found = -1;
#pragma omp parallel for
    for (int i = 0; i < 6; i++) {
        if (i == 4)
            found = i;
    }
    assert(found == 4);
    return 0;
}
