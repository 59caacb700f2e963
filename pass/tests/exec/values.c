// Every width, order and operator that C can say, printed. Instrumented and plain builds must agree.
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct small { int a, b; } global_small = {1, 2};
struct large { int a[20]; } global_large, other_large;
volatile int volatile_int;
volatile char volatile_char;
volatile long double volatile_wide;
long double wide;
_Bool truth;
int array[64];

static void print128(unsigned __int128 v) {
  printf(" %016llx%016llx", (unsigned long long)(v >> 64), (unsigned long long)v);
}

#define TYPE(T, S, NAME)                                                                           \
  _Atomic T u_##NAME;                                                                              \
  _Atomic S s_##NAME;                                                                              \
  static void test_##NAME(T a, T b) {                                                              \
    T expected;                                                                                    \
    printf("%s:", #NAME);                                                                          \
    atomic_store_explicit(&u_##NAME, a, memory_order_relaxed);                                     \
    print128(atomic_load_explicit(&u_##NAME, memory_order_relaxed));                               \
    atomic_store_explicit(&u_##NAME, b, memory_order_release);                                     \
    print128(atomic_load_explicit(&u_##NAME, memory_order_acquire));                               \
    atomic_store(&u_##NAME, a);                                                                    \
    print128(atomic_load(&u_##NAME));                                                              \
    print128(atomic_exchange_explicit(&u_##NAME, b, memory_order_acq_rel));                        \
    print128(atomic_fetch_add_explicit(&u_##NAME, a, memory_order_relaxed));                       \
    print128(atomic_fetch_sub_explicit(&u_##NAME, b, memory_order_acquire));                       \
    print128(atomic_fetch_or_explicit(&u_##NAME, b, memory_order_release));                        \
    print128(atomic_fetch_and_explicit(&u_##NAME, a, memory_order_seq_cst));                       \
    print128(atomic_fetch_xor(&u_##NAME, b));                                                      \
    print128(__c11_atomic_fetch_nand(&u_##NAME, b, __ATOMIC_SEQ_CST));                             \
    print128(__c11_atomic_fetch_max(&u_##NAME, a, __ATOMIC_SEQ_CST));                              \
    print128(__c11_atomic_fetch_min(&u_##NAME, b, __ATOMIC_SEQ_CST));                              \
    s_##NAME = (S)a;                                                                               \
    print128((T)__c11_atomic_fetch_max(&s_##NAME, (S)b, __ATOMIC_SEQ_CST));                        \
    print128((T)__c11_atomic_fetch_min(&s_##NAME, (S)a, __ATOMIC_SEQ_CST));                        \
    print128((T)s_##NAME);                                                                         \
    print128(++u_##NAME);                                                                          \
    print128(u_##NAME--);                                                                          \
    print128(u_##NAME *= 3);                                                                       \
    expected = b;                                                                                  \
    print128(atomic_compare_exchange_strong(&u_##NAME, &expected, a));                             \
    print128(expected);                                                                            \
    print128(atomic_compare_exchange_weak_explicit(&u_##NAME, &expected, a, memory_order_release,  \
                                                   memory_order_relaxed));                         \
    print128(atomic_load(&u_##NAME));                                                              \
    printf("\n");                                                                                  \
  }
TYPE(uint8_t, int8_t, byte)
TYPE(uint16_t, int16_t, half)
TYPE(uint32_t, int32_t, word)
TYPE(uint64_t, int64_t, quad)
TYPE(unsigned __int128, __int128, octa)

_Atomic double real;
_Atomic float single;
_Atomic(int *) pointer;
_Atomic _Bool flag;
_Atomic struct small pair;

static int by_value(struct large s) { return s.a[3] + s.a[19]; }

int main(void) {
  test_byte(0x7e, 0xf1);
  test_half(0x7ffe, 0xfff1);
  test_word(0x7ffffffe, 0xfffffff1u);
  test_quad(0x7ffffffffffffffe, 0xfffffffffffffff1u);
  test_octa(((unsigned __int128)0x7fffffffffffffff << 64) | 5, ~(unsigned __int128)14);
  real = 1.5;
  real += 2.25;
  single = 0.5f;
  single *= 3;
  printf("%g %g\n", real, single);
  int *none = 0;
  pointer = array + 3;
  printf("%d %d %d\n", (int)(pointer - array), atomic_compare_exchange_strong(&pointer, &none, array),
         (int)(none - array));
  atomic_fetch_add(&pointer, 2);
  printf("%d\n", (int)(atomic_exchange(&pointer, array) - array));
  printf("%d %d\n", atomic_flag_test_and_set((atomic_flag *)&flag), flag);
  pair = global_small;
  struct small got = pair, want = {5, 6};
  printf("%d %d %d\n", got.a, got.b, atomic_compare_exchange_strong(&pair, &got, want));
  atomic_thread_fence(memory_order_seq_cst);
  atomic_signal_fence(memory_order_acquire);
  volatile_int = 7;
  volatile_int += volatile_int;
  volatile_char = -3;
  volatile_wide = 1.25L;
  volatile_wide *= 2;
  wide = volatile_wide + 1;
  truth = volatile_int > 3;
  printf("%d %d %Lg %Lg %d\n", volatile_int, volatile_char, volatile_wide, wide, truth);
  for (int i = 0; i < 64; i++)
    array[i] = i * i;
  memcpy(&global_large, array, sizeof global_large);
  memmove(global_large.a + 1, global_large.a, 40);
  memset(&other_large, 1, 12);
  other_large = global_large;
  int sum = 0;
  for (int i = 0; i < 64; i++)
    if (array[i] & 4)
      sum += array[i];
  printf("%d %d %d\n", by_value(other_large), sum, memcmp(&global_large, &other_large, 80));
  int n = 5, old = 2;
  __asm__ volatile("lock; xaddl %0,%1" : "+r"(old), "+m"(array[n]) : : "memory");
  printf("%d %d\n", old, array[n]);
}
