#include <stdio.h>
#include <string.h>
long cell;
float fadd(float), fsub(float), xchg_float(float), load_float(void);
double fmax_(double) __asm__("fmax"), fmin_(double) __asm__("fmin");
unsigned uinc_wrap(unsigned), udec_wrap(unsigned), compare_float(float, float);

int main(void) {
  printf("%g %g %g %lx\n", fadd(1.5f), fadd(2.25f), fsub(0.5f), cell);
  printf("%g %g %u %u %g\n", xchg_float(9.f), xchg_float(8.f), compare_float(7.f, 6.f),
         compare_float(8.f, 6.f), load_float());
  cell = 0;
  double one = fmax_(-2.0), two = fmax_(4.0), three = fmin_(5.0), four = fmin_(-1.0);
  printf("%g %g %g %g %lx\n", one, two, three, four, cell);
  cell = 3;
  for (int i = 0; i < 4; i++)
    printf("%u ", uinc_wrap(4));
  for (int i = 0; i < 5; i++)
    printf("%u ", udec_wrap(3));
  cell = 9;
  printf("%u %u\n", udec_wrap(5), (unsigned)cell);
}
