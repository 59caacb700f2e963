/* dpor.h: what a program may say to the checker. All of it is optional.
 *
 * The functions are in libdpor_rt.so, which dpor-cc links. In a program that runs without the
 * checker (DPOR_OPTIONS=off=1, or before the second thread) they do what is harmless; each says
 * what. Compile with -DDPOR_DISABLE for a build without the runtime: then all of them are inline
 * functions that do the same.
 *
 * The names that verifiers know work under dpor without any header, also through libdpor_rt.so:
 *   __VERIFIER_assume(int)            as dpor_assume
 *   __VERIFIER_assert(int)            as dpor_assert
 *   __VERIFIER_error(), reach_error() a failed assertion
 *   __VERIFIER_nondet_int() and its siblings (_bool, _char, _uint, ...): a value that is only
 *                                     compared with constants is explored by the classes that the
 *                                     comparisons tell apart; otherwise every value of a small
 *                                     range is, and a range too wide is `unsupported`
 *   __VERIFIER_atomic_begin(), __VERIFIER_atomic_end()   as dpor_atomic_begin, dpor_atomic_end
 *   __tsan_acquire(p), __tsan_release(p), AnnotateHappensAfter(file, line, p),
 *   AnnotateHappensBefore(file, line, p)  as dpor_acquire, dpor_release
 *   __tsan_mutex_pre_lock(p, flags) and its siblings: a mutex of the program's own
 *   __VERIFIER_loop_begin(), __VERIFIER_spin_start(), __VERIFIER_spin_end()   marks of spin loops
 */
#ifndef DPOR_H
#define DPOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define DPOR_NOEXCEPT noexcept
extern "C" {
#else
#define DPOR_NOEXCEPT
#endif

#ifndef DPOR_DISABLE

/* Leaves the execution if `condition` is 0: it counts as blocked and is no bug.
 * Without the checker: ends the process with exit status 0. */
void dpor_assume(int condition);

/* A finding of kind `assertion` if `condition` is 0. Without the checker: abort. */
void dpor_assert(int condition);

/* For dpor/scenario.hpp and dpor/scenario.h. The first reports a finding: of kind `not-linearizable`, or, if `is_state`,
 * `invariant`; the first line of `text` is its message, the others tell more. Without the checker: abort. The second gives a
 * function that is called at the end of an execution in which threads wait for ever: if they may, it writes nothing to the
 * 16,384 bytes that it is given, otherwise lines that the finding has besides. It must not write elsewhere. The third
 * gives one that says how calls stand, where a promise about them is found to be broken. Without the checker: nothing. */
void dpor_scenario_failed(int is_state, const char *text);
void dpor_when_stuck(void (*judge)(void *into));
void dpor_when_promised(void (*tell)(void *into));

/* For the same headers: a call of the calling thread's has ended, of those that threads make again and again, and of which
 * something is promised. 1 if the thread has made no event since another of its calls ended: it then has to make one, so
 * that no step is without end. Without the checker: 0. */
int dpor_call_ended(void);

/* For the same headers: the order in time of calls. dpor_mark marks a place in what its thread does, by a number below 16
 * that comes once in an execution: 1 if the checker will tell in which orders such places may come. Then the function given
 * to dpor_when_ended is called at the end of each execution, and writes `+` to the 32 bytes that it is given if no order is
 * wrong, `-` otherwise, and behind it the number of the scenario; it must not write elsewhere. There, and in the function
 * given to dpor_when_stuck, dpor_marks_before tells of a mark those that come before it, a bit each, in all executions that
 * differ from this one in the order of steps that do not depend on each other; they have all orders that this leaves. If
 * one is wrong the search begins anew, with that scenario alone (dpor_scenario_wanted tells), and dpor_mark returns 0:
 * then the program has to look at the order itself. dpor_scenario_doubted has the same done at once; it comes back where that
 * cannot be. Without the checker: 0, 0, nothing, 1, nothing. */
int dpor_mark(int number);
unsigned dpor_marks_before(int number);
void dpor_when_ended(void (*judge)(void *into));
int dpor_scenario_wanted(int number);
void dpor_scenario_doubted(int number);

/* Ends the check with the verdict `unsupported`, for `what`: for libraries that meet what they do not do.
 * Without the checker: says so and ends the process with exit status 4. */
void dpor_unsupported(const char *what);

/* Any of 0 .. n-1: every value is explored. n must be positive. Without the checker: 0. */
int dpor_choose(int n);

/* Records `value` under `name` in the outcome of the execution (`dpor check --outcomes`); the
 * last value counts. No synchronization. Without the checker: nothing. */
void dpor_observe(const char *name, int64_t value);

/* DPOR_INVARIANT(name, expression), at file scope of any instrumented file: after every event of the
 * checked program the expression must not be 0. Two threads' stores to what it reads come in both
 * orders. DPOR_PROPOSITION(name, expression) is what a formula of --ltl may call by this name. Both
 * must only read memory: what writes, locks or allocates is `unsupported`. Without the checker:
 * nothing. */
struct dpor_property {
    const char *name;
    int (*holds)(void);
    const char *file;
    int line;
    int is_proposition;
};
void dpor_property_add(const struct dpor_property *);
#define DPOR_PROPERTY(word, name, expression, is_proposition)                                      \
    static int dpor_##word##_##name(void) { return !!(expression); }                               \
    __attribute__((constructor)) static void dpor_add_##word##_##name(void)                        \
    {                                                                                              \
        static const struct dpor_property stated = {                                               \
            #name, dpor_##word##_##name, __FILE__, __LINE__, is_proposition};                      \
        dpor_property_add(&stated);                                                                \
    }
#define DPOR_INVARIANT(name, expression) DPOR_PROPERTY(invariant, name, expression, 0)
#define DPOR_PROPOSITION(name, expression) DPOR_PROPERTY(proposition, name, expression, 1)

/* With --states, these bytes are left out of states: they decide nothing of what the program does (a
 * counter for statistics, say). No local variable. The verdict says how many bytes are left out.
 * Without the checker, and without --states: nothing. */
void dpor_unmatched(const volatile void *address, size_t bytes);

/* With --states, the `bytes` bytes that `write` writes to the place that it is given tell states apart, instead of the
 * program's memory; objects (mutexes, …) and where threads stand count besides. `write` reads memory and nothing else; the
 * bytes are zeros before. A proof then holds if states with the same bytes go on alike, which is looked at by samples. May
 * be called several times with different functions. Without the checker, and without --states: nothing. */
void dpor_abstraction(size_t bytes, void (*write)(void *into));

/* As dpor_abstraction, and nothing else counts: neither objects nor where threads stand, so the bytes have to tell that,
 * too, as far as it matters. Random walks besides look whether each step is one that was explored. */
void dpor_abstraction_all(size_t bytes, void (*write)(void *into));

/* What follows, in code that was not built with dpor-cc, looks at these bytes, or (`writes`) looks at them and changes
 * them: a step of the calling thread, which other threads' steps on the same bytes come before or behind. The bytes can be
 * read and written. `address` 0: it may touch anything. Races are not looked for in it. Without the checker: nothing. */
void dpor_step(const volatile void *address, size_t bytes, int writes);

/* From the call on, `holds` must return non-zero after every event, as a DPOR_INVARIANT; the second with a name. */
void dpor_invariant(int (*holds)(void));
void dpor_invariant_named(const char *name, int (*holds)(void));

/* Between the two, no other thread runs. Nothing in between may block. Without the checker:
 * nothing. */
void dpor_atomic_begin(void);
void dpor_atomic_end(void);

/* The calling thread did something that counts: a loop of which each turn does is one that may go
 * on for ever by design, and no livelock. Without the checker: nothing. */
void dpor_progress(void) DPOR_NOEXCEPT;

/* dpor_section("name") { ... }: a critical section of the program's own making. To leave it at its
 * end is progress, as dpor_progress; where control leaves it otherwise, dpor_section_end() says so.
 * Without the checker: nothing. */
void dpor_section_begin(const char *name) DPOR_NOEXCEPT;
void dpor_section_end(void) DPOR_NOEXCEPT;

/* Gives way to another thread, as sched_yield. */
void dpor_yield(void) DPOR_NOEXCEPT;

/* Plain accesses of the calling thread between the two are not checked for races. */
void dpor_ignore_begin(void);
void dpor_ignore_end(void);

/* Order between threads that the checker cannot see, made by code that was not built with dpor-cc:
 * what a thread did before dpor_release(p) happens before what another does after a dpor_acquire(p)
 * that comes later. p is only a name. Without the checker: nothing. */
void dpor_acquire(const volatile void *p);
void dpor_release(const volatile void *p);

/* 1 under the checker, 0 otherwise. */
int dpor_checking(void) DPOR_NOEXCEPT;

#else /* DPOR_DISABLE */

#include <sched.h>
#include <stdlib.h>

static inline void dpor_assume(int condition) { if (!condition) exit(0); }
static inline void dpor_assert(int condition) { if (!condition) abort(); }
static inline void dpor_scenario_failed(int is_state, const char *text) { (void)is_state; (void)text; abort(); }
static inline void dpor_when_stuck(void (*judge)(void *into)) { (void)judge; }
static inline void dpor_when_promised(void (*tell)(void *into)) { (void)tell; }
static inline int dpor_call_ended(void) { return 0; }
static inline int dpor_mark(int number) { (void)number; return 0; }
static inline unsigned dpor_marks_before(int number) { (void)number; return 0; }
static inline void dpor_when_ended(void (*judge)(void *into)) { (void)judge; }
static inline int dpor_scenario_wanted(int number) { (void)number; return 1; }
static inline void dpor_scenario_doubted(int number) { (void)number; }
static inline void dpor_unsupported(const char *what) { (void)what; exit(4); }
static inline int dpor_choose(int n) { (void)n; return 0; }
static inline void dpor_observe(const char *name, int64_t value) { (void)name; (void)value; }
#define DPOR_INVARIANT(name, expression)                                                           \
    static inline int dpor_invariant_##name(void) { return !!(expression); }
#define DPOR_PROPOSITION(name, expression)                                                         \
    static inline int dpor_proposition_##name(void) { return !!(expression); }
static inline void dpor_unmatched(const volatile void *address, size_t bytes) { (void)address; (void)bytes; }
static inline void dpor_abstraction(size_t bytes, void (*write)(void *into)) { (void)bytes; (void)write; }
static inline void dpor_abstraction_all(size_t bytes, void (*write)(void *into)) { (void)bytes; (void)write; }
static inline void dpor_step(const volatile void *address, size_t bytes, int writes) { (void)address; (void)bytes; (void)writes; }
static inline void dpor_invariant(int (*holds)(void)) { (void)holds; }
static inline void dpor_invariant_named(const char *name, int (*holds)(void)) { (void)name; (void)holds; }
static inline void dpor_atomic_begin(void) { }
static inline void dpor_atomic_end(void) { }
static inline void dpor_progress(void) DPOR_NOEXCEPT { }
static inline void dpor_section_begin(const char *name) DPOR_NOEXCEPT { (void)name; }
static inline void dpor_section_end(void) DPOR_NOEXCEPT { }
static inline void dpor_yield(void) DPOR_NOEXCEPT { sched_yield(); }
static inline void dpor_ignore_begin(void) { }
static inline void dpor_ignore_end(void) { }
static inline void dpor_acquire(const volatile void *p) { (void)p; }
static inline void dpor_release(const volatile void *p) { (void)p; }
static inline int dpor_checking(void) DPOR_NOEXCEPT { return 0; }

#endif /* DPOR_DISABLE */

#define dpor_section(name)                                                                        \
    for (int dpor_inside = (dpor_section_begin(name), 1); dpor_inside;                            \
         dpor_inside = (dpor_section_end(), 0))

#ifdef __cplusplus
}
#endif
#undef DPOR_NOEXCEPT

#endif /* DPOR_H */
