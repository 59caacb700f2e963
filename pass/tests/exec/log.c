// One access of each kind, and the hooks that must run, in order, each at the line of the statement
// above its comment. The barriers keep the optimizer from merging neighbours.
#include <stdatomic.h>
#include <string.h>

void log_name(void *, unsigned long, const char *);
void log_begin(void), log_end(void);

#define BARRIER __asm__ volatile("" : : : "memory")

int g, h[8];
_Atomic long a;
volatile short v;
struct { int x[10]; } s, t;

__attribute__((noinline)) static void callee(int *p) { *p = 1; }
static inline __attribute__((always_inline)) void inlined(void) {
  h[2] = 4; //= write h+8 4 inlined
}

__attribute__((noinline)) static void run(int n) {
  int mine[4] = {n, n, n, n};
  callee(mine);
  g = mine[n];
  //= write g+0 4
  BARRIER;
  h[n] = g;
  //= read g+0 4
  //= write h+12 4
  BARRIER;
  h[n]++;
  //= read h+12 4
  //= write h+12 4
  BARRIER;
  h[n] *= h[n - 1];
  //= read h+8 4
  //= read h+12 4
  //= write h+12 4
  BARRIER;
  inlined();
  BARRIER;
  atomic_store_explicit(&a, n, memory_order_release);
  //= store a+0 8
  BARRIER;
  long old = atomic_fetch_add(&a, 2);
  //= rmw-used a+0 8
  atomic_fetch_or(&a, old);
  //= rmw a+0 8
  atomic_compare_exchange_weak(&a, &old, 9);
  //= cas-weak a+0 8
  v = (short)a;
  //= load a+0 8
  //= volatile-store v+0 2
  atomic_thread_fence(memory_order_acquire);
  //= fence ? 4
  BARRIER;
  t = s;
  //= read-range s+0 40
  //= write-range t+0 40
  BARRIER;
  memset(&s.x[n], 0, 12);
  //= write-range s+12 12
  BARRIER;
  __asm__ volatile("incl %0" : "+m"(h[1]) : : "cc");
  //= assembly h+4 4
  log_end();
  //= call ? 0
}

int main(void) {
  log_name(&g, sizeof g, "g");
  log_name(h, sizeof h, "h");
  log_name(&a, sizeof a, "a");
  log_name((void *)&v, sizeof v, "v");
  log_name(&s, sizeof s, "s");
  log_name(&t, sizeof t, "t");
  log_begin();
  run(3);
}
