// expect: none
// A reduction that the program declares.
#include <assert.h>
#include <omp.h>

struct pair { int a, b; };
#pragma omp declare reduction(both : struct pair : omp_out.a += omp_in.a, omp_out.b += omp_in.b) initializer(omp_priv = (struct pair){0, 0})

int main(void)
{
    struct pair all = {0, 0};
#pragma omp parallel for reduction(both : all)
    for (int i = 0; i < 4; i++) {
        all.a += i;
        all.b += 1;
    }
    assert(all.a == 6 && all.b == 4);
    return 0;
}
