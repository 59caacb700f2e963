// C features that a module pass can trip over.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Atomic int counter;
static __thread int own;
volatile int device;
static jmp_buf environment;
struct record { char name[24]; double weight; struct record *next; } *records;

static int sum(int count, ...) {
  va_list list, copy;
  va_start(list, count);
  va_copy(copy, list);
  int total = 0;
  for (int i = 0; i < count; i++)
    total += va_arg(list, int);
  double d = va_arg(copy, int);
  va_end(list);
  va_end(copy);
  return total + (int)d;
}
static void list_all(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
}

__attribute__((noinline)) int last(int n, int *p) { return *p + n; }
int tail(int n, int *p) { __attribute__((musttail)) return last(n + 1, p); }

__attribute__((naked)) void bare(void) { __asm__("ret"); }
__attribute__((target_clones("default", "avx2"))) int cloned(int *p, int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += p[i];
  return s;
}
static int chosen_implementation(int x) { counter++; return x; }
static void *choose(void) { return (void *)chosen_implementation; }
int chosen(int) __attribute__((ifunc("choose")));
__attribute__((disable_sanitizer_instrumentation)) void quiet(void) { counter++; }
__attribute__((weak)) void replaceable(void) { counter++; }
__attribute__((constructor)) static void early(void) { counter = 1; }

static int nested(int n) {
  int fact(int);
  return n;
}
int jump(int n) {
  void *labels[] = {&&one, &&two};
  goto *labels[n & 1];
one:
  counter++;
two:
  return nested(n);
}

static void *run(void *argument) {
  struct record *r = calloc(1, sizeof *r);
  strcpy(r->name, argument);
  own++;
  r->weight = own;
  r->next = records;
  records = r;
  device = (int)r->weight;
  __asm__ volatile("lock; incl %0" : "+m"(counter) : : "memory");
  __asm__ volatile("mfence" : : : "memory");
  return 0;
}

int main(int argc, char **argv) {
  pthread_t thread;
  char name[] = "abc";
  int values[argc + 4];
  memset(values, 0, sizeof values);
  bare();
  quiet();
  replaceable();
  if (pthread_create(&thread, 0, run, name))
    abort();
  pthread_join(thread, 0);
  if (!setjmp(environment))
    longjmp(environment, 1);
  list_all("%d %d %d %d %s %d %d\n", sum(3, 1, 2, 3), tail(1, values), cloned(values, 4), chosen(5),
           records->name, jump(1), counter);
  return 0;
}
