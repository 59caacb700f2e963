// A gate that one thread passes at a time; who finds it taken goes home, and nothing tells. What holds after every step
// (DPOR_INVARIANT_OF) and behind all calls (DPOR_VALIDATE), in C. `crowded`: who comes does not look, so two are inside: no call
// returns anything else for it, and at the end nobody is inside. `left`: who comes second forgets to leave, which the invariant
// allows: one is inside.
//@ revisions: right crowded left
//@[right] expect: verified
//@[right] program-args: --dpor-scenario=2x2
//@[crowded] expect: bug
//@[crowded] kind: invariant
//@[crowded] cflags: -DCROWDED
//@[crowded] message: invariant one inside does not hold
//@[left] expect: bug
//@[left] kind: invariant
//@[left] cflags: -DLEFT
//@[left] message: what should be so is not (nobody inside)
#include <dpor/scenario.h>
#include <stdatomic.h>

struct gate {
    atomic_int inside, passed;
};
static void *make(void) { return calloc(1, sizeof(struct gate)); }
static long pass(void *object, long none)
{
    struct gate *gate = object;
    int nobody = 0;
    (void)none;
#ifdef CROWDED
    (void)nobody;
    gate->inside++;
#else
    if (!atomic_compare_exchange_strong(&gate->inside, &nobody, 1))
        return 0;
#endif
#ifdef LEFT
    if (gate->passed++ > 0)
        return 0;
#endif
    gate->inside--;
    return 0;
}
static int is_one_inside(void *object) { return ((struct gate *)object)->inside <= 1; }
static int is_nobody_inside(void *object) { return ((struct gate *)object)->inside == 0; }
DPOR_SCENARIO(gate, make, free, DPOR_OPERATION("pass", pass), DPOR_INVARIANT_OF("one inside", is_one_inside),
              DPOR_VALIDATE("nobody inside", is_nobody_inside))
