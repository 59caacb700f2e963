/* Stands before the system's <pthread.h> in what dpor-cc compiles, so that `dpor check --strict` can
   tell PTHREAD_MUTEX_INITIALIZER from zeros that nobody meant to be a mutex. In glibc they are the same
   40 bytes.

   The initializer gets a mark in a field in which glibc counts how long adaptive mutexes spin, and which
   it neither reads nor writes in any other mutex. The compiled module says that its initializers have
   the mark. Both are numbers of dpor_abi::initializer. */

#pragma GCC system_header

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgnu-include-next"
#include_next <pthread.h>
#pragma clang diagnostic pop

#if !defined DPOR_PTHREAD_H && defined __x86_64__ && !defined __ILP32__ && defined __GLIBC__ &&       \
    defined PTHREAD_MUTEX_INITIALIZER
#define DPOR_PTHREAD_H

#undef PTHREAD_MUTEX_INITIALIZER
#define PTHREAD_MUTEX_INITIALIZER                                                                     \
    { { 0, 0, 0, 0, PTHREAD_MUTEX_TIMED_NP, 0x6470, 0, { 0, 0 } } }

static const char dpor_initializers_are_marked
    __attribute__((__used__, __nodebug__, __section__(".dpor.marked"))) = 1;

#endif
