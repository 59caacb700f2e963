// expect: none
// Two variables are reduced.
#include <assert.h>

int main(void)
{
    int sum = 0, product = 1;
#pragma omp parallel for reduction(+ : sum) reduction(* : product)
    for (int i = 1; i < 5; i++) {
        sum += i;
        product *= i;
    }
    assert(sum == 10 && product == 24);
    return 0;
}
