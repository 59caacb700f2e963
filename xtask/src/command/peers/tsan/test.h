/* In the place of compiler-rt's test/tsan/test.h: what its programs take from there.
   Their barrier, unseen by ThreadSanitizer, fixes the one order that the test is about. Here every
   order is explored, so it does nothing. Nothing of ThreadSanitizer's own interface is declared:
   a program that uses it does not compile. */
#ifndef DPOR_PEERS_TSAN_TEST_H
#define DPOR_PEERS_TSAN_TEST_H

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#if __SSE4_2__
#define TSAN_VECTORIZE 1
#include <emmintrin.h>
#include <smmintrin.h>
#else
#define TSAN_VECTORIZE 0
struct __m128i {
  unsigned long long x[2];
};
#endif

typedef unsigned invisible_barrier_t;

static inline void barrier_init(invisible_barrier_t *barrier, unsigned count) {
  (void)barrier;
  (void)count;
}

static inline void barrier_wait(invisible_barrier_t *barrier) { (void)barrier; }

/* The one that most programs use; some declare more. */
static invisible_barrier_t barrier;

static inline unsigned long long monotonic_clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (unsigned long long)now.tv_sec * 1000000000 + (unsigned long long)now.tv_nsec;
}

/* `count` addresses, as one line. */
static inline void print_address(const char *before, int count, ...) {
  va_list addresses;
  va_start(addresses, count);
  fputs(before, stderr);
  while (count-- > 0) {
    fprintf(stderr, "%p ", va_arg(addresses, void *));
  }
  fputc('\n', stderr);
  va_end(addresses);
}

#endif
