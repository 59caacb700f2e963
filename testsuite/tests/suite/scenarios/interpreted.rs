//! One compiled program for all random objects: an object is data, its first argument.
//!
//! An operation is a number, whose digits say what its steps do. Steps have the effects on cells, and no others, that they
//! have as straight-line code (`object.rs`): a share of the objects is compiled as that, since it is what users have.

use super::object::{Object, Step};
use std::fmt::Write;

/// Steps that an operation's number has room for.
const STEPS: usize = 4;

/// The program. Its argument has a number of hexadecimal digits for each operation, behind a comma; a step is four of them:
/// what it does, the cell, and two numbers; the first step stands last. One read, and no loop, so that nothing is to be
/// looked at but the steps.
pub const TEXT: &str = r#"#include <dpor/scenario.h>
#include <stdatomic.h>
struct object { atomic_long c[3]; };
static unsigned long codes[3];
static void *make(void) { return calloc(1, sizeof(struct object)); }
#define STEP(code)                                                                                 \
    if (code) {                                                                                    \
        long first = (code) >> 4 & 15, second = (code) & 15;                                       \
        atomic_long *cell = &x->c[(code) >> 8 & 15];                                               \
        switch ((code) >> 12 & 15) {                                                               \
        case 1: r = atomic_load(cell); break;                                                      \
        case 2: atomic_store(cell, first); break;                                                  \
        case 3: atomic_store(cell, r + first); break;                                              \
        case 4: r = atomic_fetch_add(cell, first); break;                                          \
        case 5: r = atomic_exchange(cell, first); break;                                           \
        case 6: e = first; r = atomic_compare_exchange_strong(cell, &e, second); break;            \
        default: abort();                                                                          \
        }                                                                                          \
        h = h * 7 + r;                                                                             \
    }
static inline long run(struct object *x, unsigned long code)
{
    long r = 0, h = 0, e;
    STEP(code & 0xffff)
    STEP(code >> 16 & 0xffff)
    STEP(code >> 32 & 0xffff)
    STEP(code >> 48)
    return h;
}
static long o0(void *object, long none) { (void)none; return run(object, codes[0]); }
static long o1(void *object, long none) { (void)none; return run(object, codes[1]); }
static long o2(void *object, long none) { (void)none; return run(object, codes[2]); }
int main(int argc, char **argv)
{
    static const struct dpor_operation all[] = {
        DPOR_OPERATION("o0", o0), DPOR_OPERATION("o1", o1), DPOR_OPERATION("o2", o2)};
    int count = 0;
    char *at = argv[1];
    while (*at == ',' && count < 3)
        codes[count++] = strtoul(at + 1, &at, 16);
    if (*at || count == 0)
        return 2;
    return dpor_scenario_main(dpor_made_of("object", __FILE__, make, free, all, count), argc, argv);
}
"#;

/// The argument that is the object; `None`: the program does not know what it does.
pub fn argument(object: &Object) -> Option<String> {
    let mut text = String::new();
    for steps in &object.operations {
        if steps.len() > STEPS {
            return None;
        }
        text.push(',');
        for &step in steps.iter().rev() {
            let digits = digits(step)?;
            if digits.iter().any(|digit| !(0..16).contains(digit)) {
                return None;
            }
            let [what, cell, first, second] = digits;
            let _ = write!(text, "{what:x}{cell:x}{first:x}{second:x}");
        }
    }
    Some(text)
}

fn digits(step: Step) -> Option<[i64; 4]> {
    #[allow(
        unreachable_patterns,
        reason = "objects may get steps that are compiled only"
    )]
    let (what, cell, first, second) = match step {
        Step::Load(cell) => (1, cell, 0, 0),
        Step::Store(cell, value) => (2, cell, value, 0),
        Step::StoreRead(cell, more) => (3, cell, more, 0),
        Step::Add(cell, more) => (4, cell, more, 0),
        Step::Exchange(cell, value) => (5, cell, value, 0),
        Step::Compare(cell, expected, value) => (6, cell, expected, value),
        _ => return None,
    };
    Some([what, i64::try_from(cell).ok()?, first, second])
}
