//! One compiled program for all random objects: an object is data, its first argument.
//!
//! An operation is a number, whose bits say what its steps do. Steps have the effects on cells, and no others, that they
//! have as straight-line code (`object.rs`): a share of the objects is compiled as that, since it is what users have.

use super::object::{Lock, Object, Step, PRELUDE};
use std::fmt::Write;

/// Steps that an operation's number has room for, bits of a step, and bits of its parts: what it does, the cell, and two
/// numbers.
const STEPS: usize = 5;
const BITS: [usize; 4] = [5, 2, 2, 2];

/// The program. Its argument has for each operation, behind a comma, a digit for its role and a number in hexadecimal digits;
/// the first step stands in the lowest bits. One read, and no loop but those of locks, so that nothing is to be looked at but the steps.
pub fn text() -> String {
    PRELUDE.to_owned() + MACHINE
}

const MACHINE: &str = r#"static unsigned long codes[3];
#define STEP(code)                                                                                 \
    if (code) {                                                                                    \
        long first = (code) >> 7 & 3, second = (code) >> 9 & 3;                                    \
        int number = (code) >> 5 & 3;                                                              \
        atomic_long *cell = &x->c[number];                                                         \
        switch ((code) & 31) {                                                                     \
        case 1: r = atomic_load(cell); break;                                                      \
        case 2: atomic_store(cell, first); break;                                                  \
        case 3: atomic_store(cell, r + first); break;                                              \
        case 4: r = atomic_fetch_add(cell, first); break;                                          \
        case 5: r = atomic_exchange(cell, first); break;                                           \
        case 6: e = first; r = atomic_compare_exchange_strong(cell, &e, second); break;            \
        case 7: atomic_fetch_add(cell, first); break;                                              \
        case 8: pthread_mutex_lock(&x->mutex); break;                                              \
        case 9: while (atomic_exchange(&x->lock, 1) != 0) { } break;                               \
        case 10:                                                                                   \
            do {                                                                                   \
                while (atomic_load(&x->lock) != 0) { }                                             \
                e = 0;                                                                             \
            } while (!atomic_compare_exchange_strong(&x->lock, &e, 1));                            \
            break;                                                                                 \
        case 11: pthread_mutex_unlock(&x->mutex); break;                                           \
        case 12: atomic_store(&x->lock, 0); break;                                                 \
        case 13: r = x->p[number]; break;                                                          \
        case 14: x->p[number] = first; break;                                                      \
        case 15: x->p[number] = r + first; break;                                                  \
        case 16: r = sem_timedwait(&x->tokens, &late) == 0; break;                                 \
        case 17: sem_post(&x->tokens); break;                                                      \
        default: abort();                                                                          \
        }                                                                                          \
        h = h * 7 + r;                                                                             \
    }
static inline long run(struct object *x, unsigned long code)
{
    long r = 0, h = 0, e;
    STEP(code & 2047)
    STEP(code >> 11 & 2047)
    STEP(code >> 22 & 2047)
    STEP(code >> 33 & 2047)
    STEP(code >> 44)
    return h;
}
static long o0(void *object, long none) { (void)none; return run(object, codes[0]); }
static long o1(void *object, long none) { (void)none; return run(object, codes[1]); }
static long o2(void *object, long none) { (void)none; return run(object, codes[2]); }
int main(int argc, char **argv)
{
    struct dpor_operation all[] = {
        DPOR_OPERATION("o0", o0), DPOR_OPERATION("o1", o1), DPOR_OPERATION("o2", o2)};
    int count = 0;
    char *at = argv[1];
    while (*at == ',' && count < 3) {
        all[count].role = at[1] - '0';
        codes[count++] = strtoul(at + 2, &at, 16);
    }
    if (*at || count == 0)
        return 2;
    return dpor_scenario_main(dpor_made_of("object", __FILE__, make, drop, all, count), argc, argv);
}
"#;

/// The argument that is the object.
///
/// # Panics
/// If a number of it is too large for its bits.
pub fn argument(object: &Object) -> String {
    let mut text = String::new();
    for (steps, role) in object.operations.iter().zip(&object.roles) {
        assert!(steps.len() <= STEPS, "{steps:?}");
        let code = steps.iter().rev().fold(0, |code, &step| {
            let parts = parts(step).into_iter().zip(BITS).rev();
            parts.fold(code, |code, (part, bits)| {
                assert!(part >> bits == 0, "{step:?}");
                code << bits | part
            })
        });
        let _ = write!(text, ",{role}{code:x}");
    }
    text
}

fn parts(step: Step) -> [u64; 4] {
    let (what, cell, first, second) = match step {
        Step::Load(cell) => (1, cell, 0, 0),
        Step::Store(cell, value) => (2, cell, value, 0),
        Step::StoreRead(cell, more) => (3, cell, more, 0),
        Step::Add(cell, more) => (4, cell, more, 0),
        Step::Exchange(cell, value) => (5, cell, value, 0),
        Step::Compare(cell, expected, value) => (6, cell, expected, value),
        Step::Bump(cell, more) => (7, cell, more, 0),
        Step::Lock(Lock::Mutex) => (8, 0, 0, 0),
        Step::Lock(Lock::Exchange) => (9, 0, 0, 0),
        Step::Lock(Lock::LookFirst) => (10, 0, 0, 0),
        Step::Unlock(Lock::Mutex) => (11, 0, 0, 0),
        Step::Unlock(Lock::Exchange | Lock::LookFirst) => (12, 0, 0, 0),
        Step::PlainLoad(cell) => (13, cell, 0, 0),
        Step::PlainStore(cell, value) => (14, cell, value, 0),
        Step::PlainStoreRead(cell, more) => (15, cell, more, 0),
        Step::Take => (16, 0, 0, 0),
        Step::Give => (17, 0, 0, 0),
    };
    [what, cell as u64, first as u64, second as u64]
}
